use super::*;

fn anchor(url: &str, shown: &str) -> String {
    format!("<a href=\"{url}\">{shown}</a> ")
}

/// A part without relationships.
fn part(xml: &str) -> String {
    read_part(xml.as_bytes(), &Relations::default()).reached.anchors
}

fn relations(list: &[(&str, &str)]) -> Relations {
    let one = |(id, target): &(&str, &str)| {
        format!(
            "<Relationship Id=\"{id}\" Type=\"http://schemas.openxmlformats.org/x/hyperlink\" \
             Target=\"{target}\" TargetMode=\"External\"/>"
        )
    };
    let list: String = list.iter().map(one).collect();
    let xml = format!(
        "<?xml version=\"1.0\"?><Relationships \
         xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{list}"
    );
    Relations::read(xml.as_bytes())
}

#[test]
fn relationships_lead_out_of_a_package() {
    let page = |list: &[(&str, &str)]| read_part(b"", &relations(list)).reached.anchors;
    assert_eq!(
        page(&[("a", "https://a.example/?x&amp;y")]),
        anchor("https://a.example/?x&amp;y", "")
    );
    assert_eq!(page(&[("a", r"\\a.example\s\x.dotm")]), anchor(r"\\a.example\s\x.dotm", ""));
    // Names that are said twice.
    let twice = page(&[("a", "https://a.example"), ("a", "https://b.example")]);
    assert!(twice.contains("//a.example") && twice.contains("//b.example"));
    // What was on the writer's disk, and parts of the package.
    for target in ["file:///C:\\Templates\\Normal.dotm", "D:\\x.png", "file:///c:/x.dotx"] {
        assert_eq!(page(&[("a", target)]), "", "{target}");
    }
    let inside =
        b"<Relationship Id='a' Type='http://schemas.openxmlformats.org/x' Target='/word/a.xml'/>";
    assert!(Relations::read(inside).is_empty());
    // One that no program takes for inside.
    let open = b"<Relationship Id='a' Target='https://a.example'/>";
    assert!(!Relations::read(open).is_empty());
    let wide: Vec<u8> = "<p:Relationship Id='a' Target='https://a.example' TargetMode='External'/>"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(!Relations::read(&wide).is_empty());
}

#[test]
fn what_is_shown_for_a_relationship_stands_beside_it() {
    let relations = relations(&[("r1", "https://a.example"), ("r2", "https://b.example")]);
    let xml = "<w:p><w:hyperlink r:id=\"r1\"><w:r><w:t>www.c</w:t></w:r><w:r><w:t>.com</w:t></w:r></w:hyperlink>";
    let page = read_part(xml.as_bytes(), &relations).reached.anchors;
    let both = [anchor("https://a.example", "www.c.com"), anchor("https://b.example", "")];
    assert_eq!(page, both.concat());
    // A long address is not repeated without end.
    let long = format!("https://a.example/{}", "x".repeat(2_000));
    let relations = super::tests::relations(&[("r", &long)]);
    let xml = "<w:hyperlink r:id='r'>x</w:hyperlink>".repeat(1_000);
    let PartLinks { reached, cut, .. } = read_part(xml.as_bytes(), &relations);
    assert!(cut && reached.anchors.len() < 2 * xml.len());
}

#[test]
fn fields_and_formulas_are_links() {
    let field = |instruction: &str| {
        format!(
            "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r>{instruction}<w:r>\
             <w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>Log in</w:t></w:r><w:r>\
             <w:fldChar w:fldCharType=\"end\"/></w:r>"
        )
    };
    let link = anchor("https://a.example/", "Log in");
    for xml in [
        field("<w:instrText>HYPERLINK \"https://a.example/\"</w:instrText>"),
        field(
            "<w:instrText> HYPER</w:instrText><w:instrText>LINK &quot;https://a.example/&quot;</w:instrText>",
        ),
        field("<w:instrText><![CDATA[HYPERLINK \"https://a.example/\"]]></w:instrText>"),
        "<w:fldSimple w:instr=' HYPERLINK \"https://a.example/\" '><w:t>Log in</w:t></w:fldSimple>"
            .to_owned(),
    ] {
        assert_eq!(part(&xml), link, "{xml}");
    }
    let cut = "<w:instrText>HYPERLINK \"https://a.example/\"</w:instrText>";
    assert_eq!(part(cut), anchor("https://a.example/", ""));
    let picture = "<w:fldSimple w:instr='INCLUDEPICTURE \"https://a.example/x\"'/>";
    assert!(part(picture).contains("https://a.example/x"));
    for xml in [
        "<c><f>HYPERLINK(\"https://a.example/\",\"Log in\")</f></c>",
        "<c><f>&#72;YPERLINK(\"https://a.example/\",\"Log in\")</f></c>",
        "<table:table-cell table:formula='of:=HYPERLINK(\"https://a.example/\";\"Log in\")'/>",
        "<text:a xlink:href=\"https://a.example/\">Log in</text:a>",
    ] {
        assert_eq!(part(xml).trim(), link.trim(), "{xml}");
    }
    for xml in [
        "<draw:image xlink:href=\"https://a.example/\"/>",
        "<Path FixedPage.NavigateUri=\"https://a.example/\"/>",
        "<HyperlinkBase>https://a.example/</HyperlinkBase>",
        "<webPr url=\"https://a.example/\"/>",
    ] {
        assert_eq!(part(xml), anchor("https://a.example/", ""), "{xml}");
    }
    let dde = "<ddeLink ddeService=\"cmd\" ddeTopic=\"/c calc\"/>";
    let programs = read_part(dde.as_bytes(), &Relations::default()).reached.programs;
    assert_eq!(programs.into_iter().collect::<Vec<_>>(), ["cmd"]);
}

#[test]
fn names_of_schemas_and_text_are_no_links() {
    for xml in [
        "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"/>",
        "<w:t>see https://a.example/</w:t>",
        "<a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"/>",
        "<dc:creator xmlns:dc=\"http://purl.org/dc/elements/1.1/\">hyperlink</dc:creator>",
        "<f>SUM(A1:A2)</f>",
        "<w:fldSimple w:instr=\" PAGE \"/>",
    ] {
        assert_eq!(part(xml), "", "{xml}");
    }
}

#[test]
fn names_say_what_files_are() {
    let package = ["[content_types].xml", "word/document.xml"];
    assert_eq!(Kind::of(package.into_iter()), Kind::Package);
    assert_eq!(Kind::of(["a.html", "b.xml"].into_iter()), Kind::Archive);
    for (name, kind, member) in [
        ("a.html", Kind::Archive, Member::File),
        ("a.html. ", Kind::Archive, Member::File),
        ("b/a.xml", Kind::Archive, Member::File),
        ("word/document.xml", Kind::Package, Member::Unknown),
        ("word/afchunk.mht", Kind::Package, Member::File),
        ("word/_rels/document.xml.rels", Kind::Package, Member::Relations),
        ("word/vbaproject.bin", Kind::Package, Member::Unknown),
        ("word/media/image1.png", Kind::Package, Member::Nothing),
        ("folder/", Kind::Archive, Member::Nothing),
        ("x.exe", Kind::Archive, Member::Unknown),
    ] {
        assert_eq!(Member::of(name, kind), member, "{name}");
    }
    let related = |name| related_part(name);
    assert_eq!(related("word/_rels/document.xml.rels").as_deref(), Some("word/document.xml"));
    assert_eq!(related("_rels/.rels"), None);
}
