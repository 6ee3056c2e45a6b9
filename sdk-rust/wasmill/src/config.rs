use crate::Context;

impl Context {
    /// The step's config as JSON, if the job has one.
    pub fn config_json(&self) -> Option<&[u8]> {
        let text = self.info.config.as_slice();
        (!text.is_empty() && text != b"null").then_some(text)
    }

    /// The step's config as a `T`. A job without config counts as `{}`, so
    /// that defaults of fields apply. With `#[serde(deny_unknown_fields)]` a
    /// misspelt field of the job file is an error.
    #[cfg(feature = "json")]
    pub fn config<T: serde::de::DeserializeOwned>(&self) -> crate::Result<T> {
        serde_json::from_slice(self.config_json().unwrap_or(b"{}"))
            .map_err(|e| crate::Error::new(format_args!("config of step {}: {e}", self.step())))
    }
}
