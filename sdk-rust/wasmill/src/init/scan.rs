//! As much of JSON as the payload of init needs, so that a step without serde
//! carries no more. Depth costs no stack: values are skipped by counting.

/// Where the text is not what it should be.
pub(super) struct Malformed(pub(super) usize);

pub(super) struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Scanner { text, at: 0 }
    }

    /// Calls `field` with each name of an object; it reads the value.
    pub(super) fn object(
        &mut self,
        mut field: impl FnMut(&str, &mut Self) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        self.list(b'{', b'}', |s| {
            let name = s.string()?;
            s.expect(b':')?;
            field(&name, s)
        })
    }

    /// An array of strings.
    pub(super) fn strings(&mut self) -> Result<Vec<String>, Malformed> {
        let mut all = Vec::new();
        self.list(b'[', b']', |s| {
            all.push(s.string()?);
            Ok(())
        })?;
        Ok(all)
    }

    /// A number without sign, fraction and exponent.
    pub(super) fn number<T: std::str::FromStr>(&mut self) -> Result<T, Malformed> {
        let at = self.at;
        let text = self.value()?;
        std::str::from_utf8(text)
            .ok()
            .and_then(|t| t.parse().ok())
            .ok_or(Malformed(at))
    }

    /// A string, decoded. A lone half of a surrogate pair becomes U+FFFD.
    pub(super) fn string(&mut self) -> Result<String, Malformed> {
        self.expect(b'"')?;
        let mut out = Vec::new();
        loop {
            match self.take()? {
                b'"' => break,
                b'\\' => self.escape(&mut out)?,
                c => out.push(c),
            }
        }
        String::from_utf8(out).map_err(|_| Malformed(self.at))
    }

    /// Any value, as it stands there.
    pub(super) fn value(&mut self) -> Result<&'a [u8], Malformed> {
        self.space();
        let (start, mut depth) = (self.at, 0_usize);
        loop {
            self.space();
            match self.take()? {
                b'"' => self.skip_string()?,
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth > 0 => depth -= 1,
                b',' | b':' if depth > 0 => {}
                b'-' | b'0'..=b'9' | b'a'..=b'z' => self.skip_word(),
                _ => return self.malformed(),
            }
            if depth == 0 {
                return Ok(&self.text[start..self.at]);
            }
        }
    }

    /// Nothing but space is left.
    pub(super) fn end(&mut self) -> Result<(), Malformed> {
        self.space();
        if self.at == self.text.len() {
            Ok(())
        } else {
            self.malformed()
        }
    }

    fn list(
        &mut self,
        open: u8,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        self.expect(open)?;
        self.space();
        if self.text.get(self.at) == Some(&close) {
            self.at += 1;
            return Ok(());
        }
        loop {
            item(self)?;
            self.space();
            match self.take()? {
                b',' => {}
                c if c == close => return Ok(()),
                _ => return self.malformed(),
            }
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), Malformed> {
        out.push(match self.take()? {
            c @ (b'"' | b'\\' | b'/') => c,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let c = self.unicode()?;
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return self.malformed(),
        });
        Ok(())
    }

    fn unicode(&mut self) -> Result<char, Malformed> {
        let high = self.hex()?;
        let behind = self.at;
        if (0xd800..0xdc00).contains(&high) && self.text[behind..].starts_with(b"\\u") {
            self.at += 2;
            let low = self.hex()?;
            if (0xdc00..0xe000).contains(&low) {
                let c = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = behind;
        }
        Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex(&mut self) -> Result<u32, Malformed> {
        let mut n = 0;
        for _ in 0..4 {
            let digit = char::from(self.take()?)
                .to_digit(16)
                .ok_or(Malformed(self.at))?;
            n = n << 4 | digit;
        }
        Ok(n)
    }

    fn skip_string(&mut self) -> Result<(), Malformed> {
        loop {
            match self.take()? {
                b'"' => return Ok(()),
                b'\\' => _ = self.take()?,
                _ => {}
            }
        }
    }

    fn skip_word(&mut self) {
        while let Some(b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'E') =
            self.text.get(self.at)
        {
            self.at += 1;
        }
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.text.get(self.at) {
            self.at += 1;
        }
    }

    fn expect(&mut self, c: u8) -> Result<(), Malformed> {
        self.space();
        if self.take()? == c {
            Ok(())
        } else {
            self.malformed()
        }
    }

    fn take(&mut self) -> Result<u8, Malformed> {
        let c = *self.text.get(self.at).ok_or(Malformed(self.at))?;
        self.at += 1;
        Ok(c)
    }

    /// The byte that was taken is not what should be there.
    fn malformed<T>(&self) -> Result<T, Malformed> {
        Err(Malformed(self.at.saturating_sub(1)))
    }
}
