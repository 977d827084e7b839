//! A name -> a device: the only file that names a backend.

use burn::prelude::Device;

/// A device that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("device `{name}` is not compiled in: choose {}", available().join(", "))]
pub struct DeviceError {
    /// What was asked for.
    pub name: String,
}

/// The devices that are compiled in.
pub fn available() -> Vec<&'static str> {
    [
        ("flex", cfg!(feature = "flex")),
        ("wgpu", cfg!(feature = "wgpu")),
        ("vulkan", cfg!(feature = "vulkan")),
        ("cuda", cfg!(feature = "cuda")),
    ]
    .into_iter()
    .filter_map(|(name, compiled)| compiled.then_some(name))
    .collect()
}

/// The device of that name, without autodiff.
///
/// # Errors
/// When it is not compiled in.
pub fn pick_device(name: &str) -> Result<Device, DeviceError> {
    match name {
        #[cfg(feature = "flex")]
        "flex" => Ok(Device::flex()),
        #[cfg(feature = "wgpu")]
        "wgpu" => Ok(Device::wgpu(burn::prelude::DeviceKind::DefaultDevice)),
        #[cfg(feature = "vulkan")]
        "vulkan" => Ok(Device::vulkan(burn::prelude::DeviceKind::DefaultDevice)),
        #[cfg(feature = "cuda")]
        "cuda" => Ok(Device::cuda(0)),
        other => Err(DeviceError { name: other.to_owned() }),
    }
}

/// Whether tensors live where the rest of the program does, so that several threads may work on them at once.
pub fn is_cpu(device: &Device) -> bool {
    #[cfg(feature = "flex")]
    return device.clone().without_autodiff() == Device::flex();
    #[cfg(not(feature = "flex"))]
    {
        let _ = device;
        false
    }
}

/// The first device that is compiled in, without autodiff.
///
/// # Errors
/// When none is.
pub fn default_device() -> Result<Device, DeviceError> {
    pick_device(available().first().copied().unwrap_or("flex"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_device_is_named_with_those_that_exist() {
        let error = pick_device("abacus").unwrap_err().to_string();
        assert!(error.contains("`abacus`") && available().iter().all(|name| error.contains(name)), "{error}");
    }
}
