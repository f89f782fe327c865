//! Archives that are hard to read.

use std::io::Write as _;

use super::{NONE, Shape, shape};

/// What the pieces are is in the label.
const FILE: &str = "application/zip; name=a.zip; of=file";
const FILES: &str = "application/zip; name=a.zip; of=files";
const WITHOUT: &str = "application/zip; name=a.zip; of=headers";
const OVERLAP: &str = "application/zip; name=a.zip; of=overlap";
const MARKS: &str = "application/zip; name=a.zip; of=marks";
const RELATIONS: &str = "application/zip; name=a.docx; of=relations";
const PART: &str = "application/zip; name=a.docx; of=part";

pub const SHAPES: &[Shape] = &[
    shape("links of a packed page", FILE, NONE, "<a href=http://a{n}.co>b</a>"),
    shape("text of a packed page", FILE, NONE, "see http://a.co/ "),
    shape("blanks of a packed page", FILE, NONE, "                "),
    shape("pages of an archive", FILES, NONE, "<a href=http://a{n}.co>\n"),
    shape("empty files of an archive", FILES, NONE, "\n"),
    shape("files of an archive without a directory", WITHOUT, NONE, "\n"),
    shape("files of an archive that overlap", OVERLAP, NONE, "\n"),
    shape("marks of an archive", MARKS, NONE, "PK\u{3}\u{4}"),
    shape("marks of directories of an archive", MARKS, ("PK\u{3}\u{4}", ""), "PK\u{1}\u{2}"),
    shape(
        "relationships of a document",
        RELATIONS,
        NONE,
        "<Relationship Id=\"r{n}\" Target=\"http://a{n}.co\" TargetMode=\"External\"/>",
    ),
    shape("short relationships of a document", RELATIONS, NONE, "<Relationship Target=\"a:\"/>"),
    shape("hyperlinks of a document", PART, NONE, "<hyperlink id=\"r\">a.co</hyperlink>"),
    shape("fields of a document", PART, NONE, "<fldSimple instr='HYPERLINK \"http://a{n}.co\"'/>"),
    shape("turns of fields of a document", PART, NONE, "<fldChar fldCharType='begin'/>"),
    shape("formulas of a document", PART, NONE, "<f>HYPERLINK(\"http://a{n}.co\")</f>"),
    shape("links of a drawing of a document", PART, NONE, "<a href='//a'/>"),
];

/// An archive of about as many bytes as the text; `None` if the label names none.
pub fn of(label: &str, text: &[u8]) -> Option<Vec<u8>> {
    let kind = label.split("of=").nth(1)?.trim_end();
    let many = || text.repeat(9);
    let files = match kind {
        "file" => vec![("a.html", packed(&many()))],
        "relations" => vec![("word/_rels/document.xml.rels", packed(&many()))],
        "part" => vec![
            (
                "word/_rels/document.xml.rels",
                packed(b"<Relationship Id='r' Target='http://b.co' TargetMode='External'/>"),
            ),
            ("word/document.xml", packed(&many())),
        ],
        "files" | "headers" | "overlap" => {
            // A header and its copy in the directory are about ninety bytes.
            let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
            let each = text.len() / lines.len();
            let every = (each + 90).div_ceil(each.max(1));
            lines.iter().step_by(every).map(|line| ("a.html", packed(line))).collect()
        }
        _ => return Some(text.to_vec()),
    };
    let mut archive = Archive::default();
    for (name, data) in &files {
        let claimed = if kind == "overlap" { text.len() / 2 } else { data.len() };
        archive.add(name, data, claimed);
    }
    let padding = text.len().saturating_sub(archive.out.len() + archive.directory.len());
    if padding > 0 && files.len() < 3 {
        archive.add("a.png", &vec![0xFF; padding], padding);
    }
    Some(archive.finish(kind != "headers"))
}

fn packed(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[derive(Default)]
struct Archive {
    out: Vec<u8>,
    directory: Vec<u8>,
}

impl Archive {
    fn add(&mut self, name: &str, data: &[u8], claimed: usize) {
        let number = |value: usize| u32::try_from(value).unwrap().to_le_bytes();
        let name = name.as_bytes();
        let (length, names) = (number(claimed), number(name.len()));
        let what = [&[20, 0, 0, 0, 8][..], &[0; 9], &length, &length, &names].concat();
        let offset = number(self.out.len());
        let header = [b"PK\x01\x02\x14\0", what.as_slice(), &[0; 10], &offset, name].concat();
        self.directory.extend(header);
        self.out.extend([b"PK\x03\x04", what.as_slice(), name, data].concat());
    }

    fn finish(mut self, with_directory: bool) -> Vec<u8> {
        if with_directory {
            let [start, length] = [self.out.len(), self.directory.len()]
                .map(|value| u32::try_from(value).unwrap().to_le_bytes());
            self.out.extend(&self.directory);
            self.out.extend([b"PK\x05\x06", &[0; 8][..], &length, &start, &[0, 0]].concat());
        }
        self.out
    }
}
