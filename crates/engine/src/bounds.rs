//! Every bound of the engine in one table: those of [`Limits`], which a configuration sets, and those that are
//! constants next to the code that they bound.

use super::content::LONGEST_WRAPPED;
use super::limits::{Bound, Limits};
use super::{
    budget, fields, finding, host, images, inspection, judging, mime, net, pdf, seen_hosts,
};
use mailsplice::splice::undo;

/// The bounds that no configuration changes. [`Limits::bounds`] has the others.
pub fn fixed() -> Vec<Bound> {
    [MESSAGE, PARTS, ATTACHED, HOSTS, FIELDS].concat()
}

/// All bounds, those that can be set first.
pub fn all(limits: &Limits) -> Vec<Bound> {
    limits.bounds().into_iter().chain(fixed()).collect()
}

/// Of a message as a whole: its size, what it may unpack to, what is kept of it.
const MESSAGE: &[Bound] = &[
    Bound {
        name: "size",
        unit: "bytes of a body",
        default: mime::LARGEST,
        reason: "Offsets of span maps have 32 bits; no MTA takes such a message.",
        effect: "the body is not read; `limit:size`",
        test: "bodies_whose_offsets_need_more_than_32_bits",
    },
    Bound {
        name: "unwrapped",
        unit: "times the body, that encoded messages inside may decode to",
        default: mime::UNWRAPPED as u64,
        reason: "Encodings shrink what they carry by a quarter at least, so base64 of base64 of \
                 base64 stays below; only overlapping readings pass it.",
        effect: "the part is read without decoding; `limit:unwrapped`",
        test: "layers_are_bounded",
    },
    Bound {
        name: "unwrapped_base",
        unit: "bytes that they may always decode to",
        default: mime::UNWRAPPED_BASE as u64,
        reason: "Small messages with many layers need a floor.",
        effect: "as `unwrapped`",
        test: "layers_are_bounded",
    },
    Bound {
        name: "readings",
        unit: "times the body, that parts are walked again for second readings of their labels",
        default: mime::REREAD as u64,
        reason: "Each level of a nest can have two Content-Type fields: every one costs a walk over \
                 all that is inside.",
        effect: "further second readings are left out; `limit:readings`",
        test: "second_readings_are_bounded",
    },
    Bound {
        name: "levels",
        unit: "second readings of structure inside one another",
        default: mime::LEVELS as u64,
        reason: "Labels inside labels that only some programs read: no program was found to show \
                 anything beyond two.",
        effect: "deeper ones are left out",
        test: "second_labels_in_second_labels",
    },
    Bound {
        name: "delimiter",
        unit: "bytes of a line that could delimit parts",
        default: mime::DELIMITER as u64,
        reason: "RFC 2046 §5.1.1 allows 74; the end of a longer line is not looked for.",
        effect: "the line delimits only what declares it",
        test: "lines_that_could_delimit_parts",
    },
    Bound {
        name: "links_memory",
        unit: "bytes for each of the message, that its findings may take in memory",
        default: budget::LINKS_MEMORY as u64,
        reason: "A deceptive link of ten bytes takes some hundred: a list of nothing else would cost \
                 memory out of proportion.",
        effect: "fewer findings are kept than `limits.links`; of further links only the edits are kept",
        test: "links_of_a_small_message_are_bounded_by_its_size",
    },
    Bound {
        name: "links_memory_base",
        unit: "bytes in addition",
        default: budget::LINKS_MEMORY_BASE as u64,
        reason: "Lists of thousands of links are honest.",
        effect: "as `links_memory`",
        test: "links_of_a_small_message_are_bounded_by_its_size",
    },
    Bound {
        name: "edits_memory",
        unit: "bytes for each of the message, that edits of links without a finding may take in memory",
        default: budget::EDITS_MEMORY as u64,
        reason: "A message of 24 MB with a link to one deceptive host in every line of sixty bytes is edited whole.",
        effect: "the rest is not read; `limit:links`",
        test: "links_of_a_small_message_are_bounded_by_its_size",
    },
    Bound {
        name: "edits_memory_base",
        unit: "bytes in addition",
        default: budget::EDITS_MEMORY_BASE as u64,
        reason: "Twenty thousand links of a small message.",
        effect: "as `edits_memory`",
        test: "links_of_a_small_message_are_bounded_by_its_size",
    },
    Bound {
        name: "growth",
        unit: "bytes for two of the message, by which edits may make it longer",
        default: budget::GROWTH as u64,
        reason: "A host of many short labels becomes four times as long in its ASCII form, more in UTF-16.",
        effect: "the rest is not edited; `limit:links`",
        test: "edits_make_a_message_three_times_as_long_at_most",
    },
    Bound {
        name: "growth_base",
        unit: "bytes in addition",
        default: budget::GROWTH_BASE as u64,
        reason: "A short message with a link that is explained.",
        effect: "as `growth`",
        test: "edits_make_a_message_three_times_as_long_at_most",
    },
    Bound {
        name: "seen_hosts",
        unit: "bytes of the message, for each of which one found host is kept for the net",
        default: seen_hosts::BYTES as u64,
        reason: "A deceptive host has more bytes, with its scheme.",
        effect: "further hosts are reported as hidden as well",
        test: "seen_hosts_are_bounded",
    },
    Bound {
        name: "seen_hosts_base",
        unit: "hosts in addition",
        default: seen_hosts::BASE as u64,
        reason: "More than nearly every message has.",
        effect: "as `seen_hosts`",
        test: "seen_hosts_are_bounded",
    },
    Bound {
        name: "extras",
        unit: "bytes of the message, for each of which notices and anchors may add one",
        default: budget::EXTRAS as u64,
        reason: "A message full of short links would grow many times.",
        effect: "further ones are left out, edits of the links themselves are not; `limit:extras`",
        test: "notices_and_anchors_are_bounded",
    },
    Bound {
        name: "extras_base",
        unit: "bytes in addition",
        default: budget::EXTRAS_BASE as u64,
        reason: "A short message with a link or two gets them all.",
        effect: "as `extras`",
        test: "notices_and_anchors_are_bounded",
    },
    Bound {
        name: "passed",
        unit: "hosts of harmless links that are kept by name",
        default: finding::PASSED as u64,
        reason: "They show who got a link to a host. Nearly every message has fewer.",
        effect: "the rest are not named; the event says so",
        test: "hosts_of_harmless_links_are_kept_up_to_a_bound",
    },
    Bound {
        name: "rounds",
        unit: "times an edited message is read again",
        default: inspection::ROUNDS as u64,
        reason: "An edit for one reading of a part can change what another one shows. Real mail \
                 needs one.",
        effect: "the edits so far stay; `limit:rounds`",
        test: "rounds_are_bounded",
    },
];

/// Of its parts: how each is read, and how far.
const PARTS: &[Bound] = &[
    Bound {
        name: "charsets",
        unit: "charsets tried on one part",
        default: mime::CHARSETS as u64,
        reason: "Labels, a byte order mark, `<meta>`, UTF-8 and a guess: real parts have no more that differ.",
        effect: "further ones are left out",
        test: "charsets_of_a_part_are_bounded",
    },
    Bound {
        name: "detected",
        unit: "bytes of lines outside ASCII that a detector of charsets is given",
        default: mime::DETECTED as u64,
        reason: "Detecting takes a hundred times what reading does, and some pages settle it: of real texts none is taken for something else than by all its bytes.",
        effect: "the guess rests on the first ones",
        test: "a_guess_at_the_charset_rests_on_lines_outside_ascii",
    },
    Bound {
        name: "detected_parts",
        unit: "parts of a message, the first ones, of which so many are given",
        default: mime::DETECTED_PARTS as u64,
        reason: "Forwarded mail without labels has some parts; a digest of it has a hundred, and would use up the steps.",
        effect: "further parts are guessed by `detected_further` bytes",
        test: "further_parts_are_guessed_by_their_beginning",
    },
    Bound {
        name: "detected_further",
        unit: "bytes of lines outside ASCII of each further part",
        default: mime::DETECTED_FURTHER as u64,
        reason: "Of 122 real texts that are longer, ten are taken for something else by so many bytes, and two by 2,048; thirty forwarded texts of 2 KB would use up the steps then.",
        effect: "the guess rests on the first ones",
        test: "further_parts_are_guessed_by_their_beginning",
    },
    Bound {
        name: "parameters",
        unit: "parameters of one header field",
        default: mime::PARAMETERS as u64,
        reason: "Pieces of RFC 2231 are sorted; real fields have fewer than ten.",
        effect: "of further ones, those that decide how a part is read",
        test: "parameters_without_end",
    },
    Bound {
        name: "guessed_boundary",
        unit: "bytes in which an undeclared boundary is looked for",
        default: mime::GUESSED as u64,
        reason: "A client that guesses does so at the start.",
        effect: "the part counts as text",
        test: "a_boundary_that_nobody_declared",
    },
    Bound {
        name: "sniffed",
        unit: "bytes in which markup makes a part HTML",
        default: mime::SNIFFED as u64,
        reason: "As many as clients look at.",
        effect: "the part is read as it is labelled",
        test: "markup_far_into_a_text",
    },
    Bound {
        name: "wrapped_url",
        unit: "bytes between `<` and `>` that are read as one URL over line ends",
        default: LONGEST_WRAPPED as u64,
        reason: "Such a search begins at every `<` of a text.",
        effect: "the URL is read to the end of its line",
        test: "a_url_between_angles_is_joined_up_to_a_length",
    },
    Bound {
        name: "net_window",
        unit: "bytes of a host, with its escapes, that the net reads",
        default: net::WINDOW as u64,
        reason: "Every `:` and `@` of a message may begin one; a host has 253 at most.",
        effect: "the rest of the host is not read",
        test: "windows_end_where_hosts_do",
    },
    Bound {
        name: "judgements",
        unit: "judgements of one message that are kept",
        default: judging::MEMO as u64,
        reason: "A message of nothing but hosts must not fill the memory.",
        effect: "they are dropped, and later hosts are judged again",
        test: "the_memo_is_bounded",
    },
];

/// Of documents and pictures that are attached.
const ATTACHED: &[Bound] = &[
    Bound {
        name: "pdf_links",
        unit: "links of a PDF",
        default: pdf::PDF_LINKS as u64,
        reason: "A long table of contents has some hundreds.",
        effect: "further ones are not judged; the part is `opaque`",
        test: "links_and_their_length_are_bounded",
    },
    Bound {
        name: "pdf_link_bytes",
        unit: "bytes of a link of a PDF",
        default: pdf::PDF_LINK_BYTES as u64,
        reason: "What is longer is data.",
        effect: "it is not judged; the part is `opaque`; of a script the rest is not read",
        test: "links_and_their_length_are_bounded",
    },
    Bound {
        name: "pdf_unpacked",
        unit: "times a PDF, that its streams of objects may unpack to",
        default: pdf::PDF_UNPACKED as u64,
        reason: "Zlib makes a thousand bytes of one; objects of real documents are text that shrinks to \
                 a fifth.",
        effect: "further ones are not read; the part is `opaque`",
        test: "a_document_that_unpacks_to_too_much_is_not_read",
    },
    Bound {
        name: "pdf_unpacked_bytes",
        unit: "bytes that they may unpack to",
        default: pdf::PDF_UNPACKED_BYTES as u64,
        reason: "Time: one document at a time.",
        effect: "as `pdf_unpacked`",
        test: "a_document_that_unpacks_to_too_much_is_not_read",
    },
    Bound {
        name: "pdf_stream_bytes",
        unit: "bytes beyond the length of a PDF that one of them may unpack to",
        default: pdf::PDF_STREAM_BYTES as u64,
        reason: "Memory, as the message has it: it is held as a whole. Programs put a hundred or two objects \
                 into one.",
        effect: "it is not read; the part is `opaque`",
        test: "a_stream_that_unpacks_to_more_than_its_document_is_not_read",
    },
    Bound {
        name: "image_bytes",
        unit: "bytes of a picture that is searched for QR codes",
        default: images::IMAGE_BYTES as u64,
        reason: "Pictures of mail have some hundred kilobytes.",
        effect: "it is not searched; the part is `opaque`",
        test: "absurd_sizes_are_not_decoded",
    },
    Bound {
        name: "image_side",
        unit: "pixels of a side of it",
        default: images::IMAGE_SIDE as u64,
        reason: "No screen is as wide.",
        effect: "as `image_bytes`",
        test: "absurd_sizes_are_not_decoded",
    },
    Bound {
        name: "image_pixels",
        unit: "pixels of it",
        default: images::IMAGE_PIXELS,
        reason: "Twice a screen; photographs of a telephone have more, and codes in mail far fewer.",
        effect: "as `image_bytes`",
        test: "a_bomb_takes_what_its_pixels_take",
    },
    Bound {
        name: "images",
        unit: "pictures of a message",
        default: images::IMAGES as u64,
        reason: "A code is in one of the first.",
        effect: "as `image_bytes`",
        test: "pictures_of_a_message_and_their_pixels_are_bounded",
    },
    Bound {
        name: "images_pixels",
        unit: "pixels of them all",
        default: images::IMAGES_PIXELS,
        reason: "Decoding takes more time than all else. They are counted apart from the steps that a message \
                 has by its bytes: no ordinary picture uses them up. What is tried as a code is taken from them, 16 for \
                 a module.",
        effect: "as `image_bytes`; never `limit:steps`",
        test: "pictures_of_a_message_and_their_pixels_are_bounded",
    },
];

/// Of hosts: how each is read and judged, and what is remembered of it.
const HOSTS: &[Bound] = &[
    Bound {
        name: "remembered",
        unit: "judgements that a daemon keeps from one message to the next",
        default: host::REMEMBERED as u64,
        reason: "About 4 MB, and more hosts than most servers see in an hour.",
        effect: "the half that was not used for longest is dropped",
        test: "remembered_judgements_are_bounded_and_say_the_same",
    },
    Bound {
        name: "remembered_spelling",
        unit: "bytes of a spelling that is kept",
        default: host::REMEMBERED_BYTES as u64,
        reason: "Longer ones are attacks, which do not recur.",
        effect: "the host is judged again in every message",
        test: "remembered_judgements_are_bounded_and_say_the_same",
    },
    Bound {
        name: "embedded_urls",
        unit: "URLs inside one URL",
        default: host::EMBEDDED as u64,
        reason: "Rewriters wrap rewriters, nobody more than three.",
        effect: "further ones are not judged",
        test: "embedded_urls_are_bounded",
    },
    Bound {
        name: "embedded_tried",
        unit: "authorities inside one URL, hosts or not, of each kind: hosts, userinfo, what may deceive",
        default: host::TRIED as u64,
        reason: "Whether it is a host is known only after judging.",
        effect: "further ones are not judged",
        test: "urls_inside_urls_inside_urls_are_searched_once",
    },
    Bound {
        name: "embedded_rewritten",
        unit: "times the URL, that links of rewriters inside it may come to",
        default: host::REWRITTEN as u64,
        reason: "Each is searched by itself, and each is in the tail of those before it.",
        effect: "further ones are not unwrapped",
        test: "urls_inside_urls_inside_urls_are_searched_once",
    },
    Bound {
        name: "embedded_depth",
        unit: "URLs inside one another",
        default: host::NESTING as u64,
        reason: "As above; each level is decoded anew.",
        effect: "deeper ones are not judged",
        test: "embedded_urls_are_bounded",
    },
    Bound {
        name: "searched_tail",
        unit: "bytes of a URL that are searched for URLs",
        default: host::SEARCHED_BYTES as u64,
        reason: "A longer tail is data, not an address.",
        effect: "URLs inside it are not judged",
        test: "embedded_urls_are_bounded",
    },
    Bound {
        name: "host_spelling",
        unit: "bytes of a host as spelled, without characters that are mapped to nothing",
        default: host::SPELLING_BYTES as u64,
        reason: "Punycode is quadratic; a longer spelling cannot become a name of 253 characters.",
        effect: "the host is invalid",
        test: "a_spelling_beyond_the_limit_is_invalid",
    },
    Bound {
        name: "host_starts",
        unit: "places in a run of letters at which a host may begin",
        default: uts58::unicode::prose::STARTS as u64,
        reason: "Each is a host to judge; no client is known to begin anywhere else (S27, S29).",
        effect: "a host that begins elsewhere is not looked for",
        test: "starts_of_hosts",
    },
    Bound {
        name: "label_looks",
        unit: "looks of one label",
        default: host::VARIANTS as u64,
        reason: "Letters with several readings multiply.",
        effect: "further combinations are left out",
        test: "looks_of_a_label_are_bounded",
    },
];

/// Of our header fields, and of the recipes in them.
const FIELDS: &[Bound] = &[
    Bound {
        name: "fields",
        unit: "bytes of our header fields together",
        default: fields::TOGETHER as u64,
        reason: "Sendmail refuses a message with over 32 KiB of headers.",
        effect: "the recipe goes to the state directory, then link fields are left out",
        test: "fields_are_ascii_folded_and_bounded",
    },
    Bound {
        name: "link_fields",
        unit: "`X-Linkmilter-Link` fields of a message",
        default: fields::LINKS as u64,
        reason: "Enough to show what it was about.",
        effect: "further links are counted only",
        test: "fields_are_ascii_folded_and_bounded",
    },
    Bound {
        name: "recipes",
        unit: "recipes of one message that are tried",
        default: undo::RECIPES as u64,
        reason: "Each is tried on what the others restored, and each try hashes the body; filters \
                 in a row are two or three.",
        effect: "`restore` tries no further ones",
        test: "recipes_are_bounded",
    },
    Bound {
        name: "recipe_fields",
        unit: "header fields that a recipe may restore",
        default: undo::FIELDS,
        reason: "The filter changes two; the header is searched for each.",
        effect: "`restore` refuses it",
        test: "recipes_with_many_fields_are_refused",
    },
    Bound {
        name: "inflated",
        unit: "times the message, that a recipe may inflate to",
        default: undo::INFLATED as u64,
        reason: "Deflate shrinks a thousandfold: a forged recipe must not fill the memory.",
        effect: "`restore` refuses it",
        test: "inflating_is_bounded",
    },
    Bound {
        name: "inflated_base",
        unit: "bytes in addition",
        default: undo::INFLATED_BASE as u64,
        reason: "What was cut out of a small message can be longer than what is left.",
        effect: "as `inflated`",
        test: "inflating_is_bounded",
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_bound_has_a_name_of_its_own_and_says_why() {
        let bounds = all(&Limits::default());
        let names: BTreeSet<&str> = bounds.iter().map(|bound| bound.name).collect();
        assert_eq!(names.len(), bounds.len());
        for bound in bounds {
            assert!(bound.default > 0 && !bound.unit.is_empty() && !bound.effect.is_empty());
            assert!(bound.reason.ends_with('.'), "{}", bound.name);
        }
    }
}
