//! The elements that mean something here, and what each does to the text around it.

use super::names::{Names, find};

/// An enum of elements, and the table of their names.
macro_rules! elements {
    ($($element:ident $name:literal)*) => {
        /// An element, by its name in any case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Element {
            $(#[doc = $name] $element,)*
            /// One that means nothing here.
            Other,
        }

        /// Elements by their names in lower case.
        const ELEMENTS: &[(&str, Element)] = &[$(($name, Element::$element)),*];

        const ELEMENT_NAMES: Names<{ ELEMENTS.len() }> = Names::of(&[$($name),*]);
    };
}

#[rustfmt::skip]
elements! {
    A "a" Address "address" Animate "animate" AnimateColor "animatecolor" AnimateMotion "animatemotion"
    AnimateTransform "animatetransform" AnnotationXml "annotation-xml" Applet "applet" Area "area" Article "article"
    Aside "aside" Audio "audio" B "b" Base "base" Basefont "basefont" Bdi "bdi" Bdo "bdo" Bgsound "bgsound" Big "big"
    Blockquote "blockquote" Body "body" Br "br" Button "button" Canvas "canvas" Caption "caption" Center "center"
    Code "code" Col "col" Colgroup "colgroup" Dd "dd" Desc "desc" Details "details" Dialog "dialog" Dir "dir" Div "div"
    Dl "dl" Dt "dt" Em "em" Embed "embed" Fieldset "fieldset" Figcaption "figcaption" Figure "figure" Font "font"
    Footer "footer" ForeignObject "foreignobject" Form "form" Frame "frame" Frameset "frameset" G "g" H1 "h1" H2 "h2"
    H3 "h3" H4 "h4" H5 "h5" H6 "h6" Head "head" Header "header" Hgroup "hgroup" Hr "hr" Html "html" I "i"
    Iframe "iframe" Image "image" Img "img" Input "input" Keygen "keygen" Legend "legend" Li "li" Link "link"
    Listing "listing" Main "main" Map "map" Marquee "marquee" Math "math" Menu "menu" Meta "meta" Metadata "metadata"
    Mi "mi" Mn "mn" Mo "mo" Ms "ms" Mtext "mtext" Nav "nav" Nobr "nobr" Noembed "noembed" Noframes "noframes"
    Noscript "noscript" Object "object" Ol "ol" Optgroup "optgroup" Option "option" P "p" Param "param"
    Plaintext "plaintext" Pre "pre" Q "q" Ruby "ruby" S "s" Script "script" Search "search" Section "section" Select "select"
    Set "set" Small "small" Source "source" Span "span" Strike "strike" Strong "strong" Style "style" Sub "sub"
    Summary "summary" Sup "sup" Svg "svg" Switch "switch" Table "table" Tbody "tbody" Td "td" Template "template"
    Text "text" Textarea "textarea" TextPath "textpath" Tfoot "tfoot" Th "th" Thead "thead" Title "title" Tr "tr"
    Track "track" Tspan "tspan" Tt "tt" U "u" Ul "ul" Use "use" VmlArc "v:arc" VmlCurve "v:curve" VmlFill "v:fill"
    VmlGroup "v:group" VmlImage "v:image" VmlImageData "v:imagedata" VmlLine "v:line" VmlOval "v:oval"
    VmlPolyline "v:polyline" VmlRect "v:rect" VmlRoundRect "v:roundrect" VmlShape "v:shape" Var "var" Video "video"
    Wbr "wbr" Xmp "xmp"
}

/// Elements whose content is not markup for a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawElement {
    Script,
    Style,
    /// `title` and `textarea`: characters with entities.
    Escapable,
    /// `xmp`, `iframe`, `noembed`, `noframes`, `plaintext`: characters as they are.
    Text,
}

impl Element {
    #[inline]
    pub fn of(name: &[u8]) -> Element {
        find(ELEMENTS, &ELEMENT_NAMES, |row| row.0, name).map_or(Element::Other, |row| row.1)
    }

    /// Its name in lower case.
    pub fn name(self) -> Option<&'static str> {
        ELEMENTS.get(self as usize).map(|row| row.0)
    }

    /// Whether it breaks the line of text, or is a box in it: in all others, also unknown ones, the line continues.
    #[rustfmt::skip]
    pub fn breaks_line(self) -> bool {
        use Element::*;
        self.is_heading() || self.is_table_part() || matches!(
            self,
            Address | Applet | Article | Aside | Audio | Blockquote | Body | Br | Button | Canvas | Center | Dd
                | Details | Dialog | Dir | Div | Dl | Dt | Embed | Fieldset | Figcaption | Figure | Footer | Form
                | Frame | Frameset | Head | Header | Hgroup | Hr | Html | Iframe | Image | Img | Input | Legend | Li
                | Listing | Main | Marquee | Menu | Nav | Object | Ol | Optgroup | Option | P | Plaintext | Pre
                | Search | Section | Select | Summary | Table | Text | Textarea | Title | Ul | Video | Xmp
        )
    }

    /// Whether it has no end tag.
    pub fn is_void(self) -> bool {
        use Element::*;
        matches!(
            self,
            Area | Base
                | Basefont
                | Bgsound
                | Br
                | Col
                | Embed
                | Frame
                | Hr
                | Img
                | Input
                | Keygen
                | Link
                | Meta
                | Param
                | Source
                | Track
                | Wbr
        )
    }

    /// How its content is read, if that is no markup for a browser.
    pub fn raw(self) -> Option<RawElement> {
        match self {
            Element::Script => Some(RawElement::Script),
            Element::Style => Some(RawElement::Style),
            Element::Title | Element::Textarea => Some(RawElement::Escapable),
            Element::Xmp
            | Element::Iframe
            | Element::Noembed
            | Element::Noframes
            | Element::Plaintext => Some(RawElement::Text),
            _ => None,
        }
    }

    /// Whether it is a link by its own attribute although it is no `<a>`: shapes of VML, which are the buttons that
    /// Outlook draws (their `href` is one of the attributes that all have), and the button of a form.
    pub fn leads_by_itself(self) -> bool {
        use Element::*;
        matches!(
            self,
            Button
                | VmlArc
                | VmlCurve
                | VmlGroup
                | VmlImage
                | VmlLine
                | VmlOval
                | VmlPolyline
                | VmlRect
                | VmlRoundRect
                | VmlShape
        )
    }

    /// Whether what is before and after it, or its tag, stands on one line: a cell, or a box in the line.
    pub fn stands_beside(self) -> bool {
        use Element::*;
        matches!(
            self,
            Td | Th | Img | Audio | Embed | Image | Input | Video | Applet | Canvas | Object
        )
    }

    /// Whether its end is that of rows of cells: what follows stands below them.
    pub fn is_of_rows(self) -> bool {
        use Element::*;
        matches!(self, Table | Tbody | Tfoot | Thead | Tr)
    }

    /// Whether it is dropped outside of a table.
    pub fn is_table_part(self) -> bool {
        use Element::*;
        matches!(self, Caption | Col | Colgroup | Tbody | Td | Tfoot | Th | Thead | Tr)
    }

    pub fn is_heading(self) -> bool {
        use Element::*;
        matches!(self, H1 | H2 | H3 | H4 | H5 | H6)
    }

    /// Whether parsers open it again where the element around it ends before it (HTML §13.2.4.3).
    pub fn is_formatting(self) -> bool {
        use Element::*;
        matches!(
            self,
            A | B | Big | Code | Em | Font | I | Nobr | S | Small | Strike | Strong | Tt | U
        )
    }

    /// Whether an animation changes an attribute of the element around it (SVG Animations §2).
    pub fn animates(self) -> bool {
        use Element::*;
        matches!(self, Animate | AnimateColor | AnimateMotion | AnimateTransform | Set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_found_by_its_name_in_any_case() {
        assert!(ELEMENTS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (name, element) in ELEMENTS {
            assert_eq!(Element::of(name.as_bytes()), *element);
            assert_eq!(Element::of(name.to_ascii_uppercase().as_bytes()), *element);
            assert_eq!(element.name(), Some(*name));
        }
        for name in ["", "x", "tdx", "h7", "v:shapes", "foreignobjects"] {
            assert_eq!(Element::of(name.as_bytes()), Element::Other, "{name}");
        }
        assert_eq!(Element::Other.name(), None);
    }

    #[test]
    fn breaking_elements_without_content_have_no_end_tag() {
        let empty =
            ELEMENTS.iter().filter(|(_, element)| element.breaks_line() && element.is_void());
        let names: Vec<&str> = empty.map(|row| row.0).collect();
        assert_eq!(names, ["br", "col", "embed", "frame", "hr", "img", "input"]);
    }
}
