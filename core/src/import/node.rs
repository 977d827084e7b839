//! JSON as an ordered tree: object keys keep their order and repeated keys are all kept, so that nothing is lost.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

use super::error::{ImportError, ImportProblem, LeftOut};

/// Most levels of objects and arrays in a row.
pub(super) const MAX_DEPTH: u32 = 16;
/// Most leaves of a row.
pub(super) const MAX_LEAVES: u32 = 4_096;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Node {
    /// `null`.
    Null,
    /// A string, or a number or truth value as it prints.
    Text(String),
    /// An array.
    Array(Vec<Node>),
    /// An object.
    Object(Vec<(String, Node)>),
}

impl Node {
    /// The word for this kind of value in errors.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Text(_) => "text",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
        }
    }

    /// The first field of this name.
    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.iter().find(|(key, _)| key == name).map(|(_, node)| node),
            _ => None,
        }
    }

    /// The words of a leaf.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_string()))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(Node::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = elements.next_element()? {
            nodes.push(node);
        }
        Ok(Node::Array(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            fields.push(entry);
        }
        Ok(Node::Object(fields))
    }
}

/// A leaf of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Keys and array positions (from 0), joined with `/`.
    pub(super) path: String,
    /// The words.
    pub(super) text: String,
}

/// All leaves below `node` in source order; empty values go to `left_out`.
pub(super) fn flatten(node: &Node, path: &str, left_out: &mut Vec<LeftOut>) -> Result<Vec<Leaf>, ImportError> {
    let mut leaves = Vec::new();
    collect(node, path, 0, &mut leaves, left_out)?;
    Ok(leaves)
}

fn collect(
    node: &Node,
    path: &str,
    depth: u32,
    leaves: &mut Vec<Leaf>,
    left_out: &mut Vec<LeftOut>,
) -> Result<(), ImportError> {
    let mut skip = |reason| left_out.push(LeftOut { line: 0, path: path.into(), reason });
    if depth > MAX_DEPTH {
        return Err(ImportProblem::TooDeep { limit: MAX_DEPTH }.at(path));
    }
    match node {
        Node::Null => skip("null"),
        Node::Text(text) if text.trim().is_empty() => skip("empty"),
        Node::Text(text) => {
            if leaves.len() >= MAX_LEAVES as usize {
                return Err(ImportProblem::TooMany { limit: MAX_LEAVES }.at(path));
            }
            leaves.push(Leaf { path: path.into(), text: text.trim().into() });
        }
        Node::Array(nodes) if nodes.is_empty() => skip("empty"),
        Node::Object(fields) if fields.is_empty() => skip("empty"),
        Node::Array(nodes) => {
            for (index, child) in nodes.iter().enumerate() {
                collect(child, &alloc::format!("{path}/{index}"), depth + 1, leaves, left_out)?;
            }
        }
        Node::Object(fields) => {
            for (key, child) in fields {
                collect(child, &alloc::format!("{path}/{key}"), depth + 1, leaves, left_out)?;
            }
        }
    }
    Ok(())
}
