//! The safetensors container: an 8-byte length, a JSON header, then the numbers. Reading checks every offset.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use half::{bf16, f16};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Precision, WeightsError};

/// Where a tensor stands in the file.
#[derive(Serialize, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// A file that is being put together. Tensors are stored in the order of their names, so equal contents are equal bytes.
pub(crate) struct Writer {
    precision: Precision,
    tensors: BTreeMap<String, (Vec<usize>, Vec<u8>)>,
}

impl Writer {
    pub(crate) fn new(precision: Precision) -> Self {
        Self { precision, tensors: BTreeMap::new() }
    }

    pub(crate) fn push(&mut self, name: String, shape: &[usize], numbers: &[f32]) {
        let bytes = match self.precision {
            Precision::F32 => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
            Precision::F16 => numbers.iter().flat_map(|&number| f16::from_f32(number).to_le_bytes()).collect(),
        };
        self.tensors.insert(name, (shape.to_vec(), bytes));
    }

    /// The file's bytes, with `metadata` as text entries of the header.
    pub(crate) fn finish(self, metadata: &BTreeMap<&str, String>) -> Vec<u8> {
        let dtype = match self.precision {
            Precision::F32 => "F32",
            Precision::F16 => "F16",
        };
        let mut header = serde_json::Map::new();
        header.insert("__metadata__".to_owned(), serde_json::json!(metadata));
        let mut end = 0;
        for (name, (shape, bytes)) in &self.tensors {
            let start = end;
            end += bytes.len();
            let entry = serde_json::json!({ "dtype": dtype, "shape": shape, "data_offsets": [start, end] });
            header.insert(name.clone(), entry);
        }
        let mut header = format!("{}", Value::Object(header));
        while !header.len().is_multiple_of(8) {
            header.push(' ');
        }
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend_from_slice(header.as_bytes());
        for (_, bytes) in self.tensors.values() {
            file.extend_from_slice(bytes);
        }
        file
    }
}

/// A file that is being read.
pub(crate) struct Reader<'a> {
    header: serde_json::Map<String, Value>,
    data: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Result<Self, WeightsError> {
        let broken = |what: &str| WeightsError::Format(what.to_owned());
        let (len, rest) = bytes.split_first_chunk::<8>().ok_or_else(|| broken("the file is too short"))?;
        let len = usize::try_from(u64::from_le_bytes(*len)).ok().filter(|&len| len <= rest.len());
        let (header, data) = rest.split_at(len.ok_or_else(|| broken("the header is longer than the file"))?);
        let header = serde_json::from_slice(header).map_err(|error| WeightsError::Format(format!("{error}")))?;
        Ok(Self { header, data })
    }

    pub(crate) fn metadata(&self, key: &str) -> Option<&str> {
        self.header.get("__metadata__")?.get(key)?.as_str()
    }

    /// Numbers of tensor `name`, which must have `shape`; 16-bit numbers are widened.
    pub(crate) fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, WeightsError> {
        let broken = |what: String| WeightsError::Tensor { name: name.to_owned(), what };
        let entry = self.header.get(name).ok_or_else(|| broken("is missing".to_owned()))?;
        let entry = Entry::deserialize(entry).map_err(|error| broken(format!("has a broken entry: {error}")))?;
        if entry.shape != shape {
            return Err(broken(format!("has shape {:?} instead of {shape:?}", entry.shape)));
        }
        let [start, end] = entry.data_offsets;
        let bytes = self.data.get(start..end).ok_or_else(|| broken("lies outside the file".to_owned()))?;
        let numbers: Vec<f32> = match entry.dtype.as_str() {
            "F32" => bytes.as_chunks::<4>().0.iter().map(|&chunk| f32::from_le_bytes(chunk)).collect(),
            "F16" => bytes.as_chunks::<2>().0.iter().map(|&chunk| f16::from_le_bytes(chunk).to_f32()).collect(),
            "BF16" => bytes.as_chunks::<2>().0.iter().map(|&chunk| bf16::from_le_bytes(chunk).to_f32()).collect(),
            other => return Err(broken(format!("has numbers of type `{other}`, use F32, F16 or BF16"))),
        };
        let width = if entry.dtype == "F32" { 4 } else { 2 };
        let expected = shape.iter().try_fold(1_usize, |product, &size| product.checked_mul(size));
        if expected != Some(numbers.len()) || bytes.len() != numbers.len() * width {
            return Err(broken("has another size than its shape says".to_owned()));
        }
        Ok(numbers)
    }
}
