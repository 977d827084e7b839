//! Grouped-query attention with rotary positions.
