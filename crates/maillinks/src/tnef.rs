//! Bodies of a TNEF file (`winmail.dat`, MS-OXTNEF): Exchange and Outlook show them in place of the text beside it.
//!
//! The attributes of the message are read, and three of its properties: the text, the page and the packed RTF. What is
//! attached inside it is not read, and said to be unread.

pub mod rtf;

use std::borrow::Cow;
use std::collections::BTreeSet;

use mailsplice::mime::{Charset, Endian};

/// The first four bytes of a file (MS-OXTNEF §2.1.3.1).
const SIGNATURE: [u8; 4] = [0x78, 0x9F, 0x3E, 0x22];

/// Maximum number of properties of a message that are read; Outlook writes about a hundred.
const PROPERTIES: usize = 1_024;

/// A body of the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Plain text.
    Text(String),
    /// A page, or the RTF that holds one: links are in attributes.
    Html(String),
    /// The links of an RTF, whose text is another body, as a page.
    Anchors(String),
}

impl Body {
    /// The links of an RTF, if it has any.
    pub fn anchors(page: String) -> Option<Body> {
        (!page.is_empty()).then_some(Body::Anchors(page))
    }
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tnef {
    /// The same text in up to three forms.
    pub bodies: Vec<Body>,
    /// Programs that its fields run.
    pub programs: BTreeSet<String>,
    /// Whether something in it may hold links and was not read: an attachment, a further message, what is cut off.
    pub unread: bool,
}

/// Whether a file is TNEF.
pub fn is(opening: &[u8]) -> bool {
    opening.starts_with(&SIGNATURE)
}

/// Reads a file. `spend` takes the steps of what is to be read next; `None` when it has none left.
pub fn read(bytes: &[u8], spend: &mut dyn FnMut(u64) -> bool) -> Option<Tnef> {
    let mut tnef = Tnef::default();
    let left = rtf::allowance(bytes.len());
    let mut means = Means { left, spend, ended: false };
    let mut cursor = Cursor { rest: bytes };
    let mut page = None;
    // The signature and a key.
    if cursor.bytes(6).is_none() {
        tnef.unread = true;
        return Some(tnef);
    }
    means.spend(bytes.len());
    while !cursor.rest.is_empty() {
        let Some((id, data)) = cursor.attribute() else {
            tnef.unread = true;
            break;
        };
        match id {
            id::CODE_PAGE => page = Cursor { rest: data }.u32(),
            id::BODY if means.spend(data.len()) => {
                tnef.bodies.push(Body::Text(decoded(data, page)));
            }
            id::MESSAGE => {
                let read = tnef.properties(Cursor { rest: data }, page, &mut means);
                tnef.unread |= read.is_none();
            }
            id::ATTACHED_DATA | id::ATTACHED_PROPERTIES => tnef.unread = true,
            _ => {}
        }
    }
    (!means.ended).then_some(tnef)
}

/// What may still be read.
struct Means<'a> {
    /// Bytes that bodies may unpack to.
    left: usize,
    spend: &'a mut dyn FnMut(u64) -> bool,
    /// Whether no steps are left.
    ended: bool,
}

impl Means<'_> {
    /// Takes a step for each byte that is to be read.
    fn spend(&mut self, bytes: usize) -> bool {
        self.ended |= !(self.spend)(bytes as u64);
        !self.ended
    }
}

/// Attributes (MS-OXTNEF §2.1.3.2).
mod id {
    pub const CODE_PAGE: u32 = 0x0006_9007;
    pub const BODY: u32 = 0x0002_800C;
    pub const MESSAGE: u32 = 0x0006_9003;
    pub const ATTACHED_DATA: u32 = 0x0006_800F;
    pub const ATTACHED_PROPERTIES: u32 = 0x0006_9005;
}

/// Properties of a message (MS-OXPROPS).
mod property {
    pub const TEXT: u16 = 0x1000;
    pub const RTF: u16 = 0x1009;
    pub const HTML: u16 = 0x1013;
}

/// Types of properties (MS-OXCDATA §2.11.1).
mod kind {
    pub const STRING: u16 = 0x1E;
    pub const UNICODE: u16 = 0x1F;
    pub const BINARY: u16 = 0x102;
    pub const OBJECT: u16 = 0x0D;
    /// Several values.
    pub const MULTIPLE: u16 = 0x1000;
}

impl Tnef {
    /// Reads the properties of the message (MS-OXTNEF §2.1.3.4); `None` if they are malformed.
    fn properties(
        &mut self,
        mut cursor: Cursor<'_>,
        page: Option<u32>,
        means: &mut Means<'_>,
    ) -> Option<()> {
        let count = cursor.u32()?;
        if count as usize > PROPERTIES {
            self.unread = true;
        }
        for _ in 0..(count as usize).min(PROPERTIES) {
            let (kind, id) = (cursor.u16()?, cursor.u16()?);
            if id >= 0x8000 {
                cursor.name()?;
            }
            for value in 0..cursor.count_of_values(kind)? {
                let data = cursor.value(kind & !kind::MULTIPLE)?;
                if value == 0 {
                    self.keep((id, kind), data, page, means);
                }
            }
        }
        Some(())
    }

    fn keep(
        &mut self,
        (id, kind): (u16, u16),
        data: &[u8],
        page: Option<u32>,
        means: &mut Means<'_>,
    ) {
        let text = || match kind {
            kind::UNICODE => in_charset(data, Charset::Utf16(Endian::Little)),
            _ => decoded(data, page),
        };
        match id {
            property::TEXT if means.spend(data.len()) => self.bodies.push(Body::Text(text())),
            property::HTML if means.spend(data.len()) => self.bodies.push(Body::Html(text())),
            property::RTF => match rtf::unpacked(data, &mut means.left) {
                // A page is made of it.
                Some(rtf) if means.spend(2 * rtf.len()) => {
                    let (text, reached) = rtf::page(&rtf);
                    self.bodies.push(Body::Html(text));
                    self.bodies.extend(Body::anchors(reached.anchors));
                    self.programs.extend(reached.programs);
                }
                Some(_) => {}
                None => self.unread = true,
            },
            _ => {}
        }
    }
}

/// What is left of a structure.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(bytes)
    }

    fn u16(&mut self) -> Option<u16> {
        let bytes = self.bytes(2)?.first_chunk()?;
        Some(u16::from_le_bytes(*bytes))
    }

    fn u32(&mut self) -> Option<u32> {
        let bytes = self.bytes(4)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    /// A level, what it is, its length, the data, a checksum.
    fn attribute(&mut self) -> Option<(u32, &'a [u8])> {
        self.bytes(1)?;
        let id = self.u32()?;
        let length = self.u32()? as usize;
        let data = self.bytes(length)?;
        self.u16()?;
        Some((id, data))
    }

    /// Passes over the name of a property: a set, then a number or a text.
    fn name(&mut self) -> Option<()> {
        self.bytes(16)?;
        match self.u32()? {
            0 => self.u32().map(|_| ()),
            _ => self.padded().map(|_| ()),
        }
    }

    /// Only what has one value of a fixed length has no count before it.
    fn count_of_values(&mut self, kind: u16) -> Option<u32> {
        let varies = matches!(kind, kind::STRING | kind::UNICODE | kind::BINARY | kind::OBJECT);
        if varies || kind & kind::MULTIPLE != 0 { self.u32() } else { Some(1) }
    }

    fn value(&mut self, kind: u16) -> Option<&'a [u8]> {
        match kind {
            kind::STRING | kind::UNICODE | kind::BINARY | kind::OBJECT => self.padded(),
            0x02 | 0x03 | 0x04 | 0x0A | 0x0B => self.bytes(4),
            0x05 | 0x06 | 0x07 | 0x14 | 0x40 => self.bytes(8),
            0x48 => self.bytes(16),
            _ => None,
        }
    }

    /// A length, so many bytes, and what makes them a multiple of four.
    fn padded(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()? as usize;
        let data = self.bytes(length)?;
        self.bytes(length.next_multiple_of(4) - length)?;
        Some(data)
    }
}

/// Text in UTF-8, or in the code page of the message.
fn decoded(bytes: &[u8], page: Option<u32>) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => in_charset(bytes, page.and_then(charset).unwrap_or(Charset::Utf8)),
    }
}

fn in_charset(bytes: &[u8], charset: Charset) -> String {
    charset.decode(Cow::Borrowed(bytes)).as_str().trim_end_matches('\0').to_owned()
}

/// The charset of a Windows code page.
fn charset(page: u32) -> Option<Charset> {
    let label = match page {
        874 | 1250..=1258 => format!("windows-{page}"),
        866 => "ibm866".to_owned(),
        932 => "shift_jis".to_owned(),
        936 => "gbk".to_owned(),
        949 | 51949 => "euc-kr".to_owned(),
        950 => "big5".to_owned(),
        10000 => "macintosh".to_owned(),
        20866 => "koi8-r".to_owned(),
        21866 => "koi8-u".to_owned(),
        28591..=28606 => format!("iso-8859-{}", page - 28590),
        50220..=50222 => "iso-2022-jp".to_owned(),
        51932 => "euc-jp".to_owned(),
        54936 => "gb18030".to_owned(),
        65001 => "utf-8".to_owned(),
        _ => return None,
    };
    Charset::from_label(&label)
}

#[cfg(test)]
mod tests;
