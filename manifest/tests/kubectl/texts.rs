//! Random texts of YAML: words and numbers that YAML 1.1 and Go read in their own way, in all
//! styles, with anchors, aliases, merge keys and equal keys.

/// Generates a random text from a seed.
pub(crate) struct Texts {
    seed: u64,
    /// Names of the anchors so far.
    anchors: Vec<String>,
}

const WORDS: &str = "\
    y Y n N yes No NO on On off OFF true True TRUE tRue false null Null NULL nUll ~ a b key << \
    = . .. + -- inf NaN 0 -0 00 007 08 010 0o10 0O17 0x10 0XfF 0b11 0B1 0b2 0b-1 -0b11 -0x1 \
    +12 -12 1_000 1_ _1 1__0 0x_1 0_7 1.0 1. .5 +.5 -.5e1 .5e ._5 .5_0 1e3 1E-3 1e 1e400 \
    1e-400 1.5e300 0.1 3.0e0 1e21 1e20 123456.0 1234567.0 1e-5 0.00001234 16777217.0 12:30:45 \
    2001-01-01 2001-1-1T1:1:1Z 2001 9223372036854775807 9223372036854775808 \
    -9223372036854775808 -9223372036854775809 18446744073709551615 18446744073709551616 \
    +9223372036854775808 0x7fffffffffffffff 0xffffffffffffffff 01777777777777777777777 \
    1.7976931348623157e308 grüße 80% 8Gi 1k @ `";

/// Words that are not keys: JSON has no null as a key and Go no large integer. If a float, an integer
/// or a text become the same key, chance decides in Go.
const NO_KEYS: &str = "\
    null Null NULL ~ 08 1.0 1. 1e3 3.0e0 123456.0 1e21 1e20 9223372036854775808 \
    18446744073709551615 0xffffffffffffffff 18446744073709551616 -9223372036854775809 \
    +9223372036854775808 1e-400 01777777777777777777777 1.7976931348623157e308";

const TAGS: &str = "! !!str !!int !!float !!bool !!null !!map !!seq !own !<tag:yaml.org,2002:str>";

// === impl Texts ===

impl Texts {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed: mixed(seed),
            anchors: Vec::new(),
        }
    }

    pub(crate) fn text(&mut self) -> String {
        match self.below(12) {
            0 => self.json() + "\n" + &self.json(),
            1 => {
                let first = self.block(0, 3);
                self.anchors.clear();
                format!("{first}--- # next\n{}", self.block(0, 3))
            }
            _ => self.block(0, 4),
        }
    }

    /// Returns a value in block style, as lines.
    fn block(&mut self, indent: usize, depth: usize) -> String {
        let pad = " ".repeat(indent);
        let count = 1 + self.below(4);
        let is_list = self.one_in(4);
        let mut lines = Vec::new();
        for _ in 0..count {
            if is_list {
                lines.push(format!("{pad}-{}", self.value(indent, depth)));
            } else if self.one_in(12) && !self.anchors.is_empty() {
                lines.push(format!("{pad}<<: {}\n", self.merged()));
            } else {
                let key = self.key();
                lines.push(format!("{pad}{key}:{}", self.value(indent, depth)));
            }
            if self.one_in(8) {
                lines.push(format!("{pad}# a comment: 'it is'\n"));
            }
        }
        lines.concat()
    }

    /// Returns what follows a key or a dash.
    fn value(&mut self, indent: usize, depth: usize) -> String {
        let inner = indent + 1 + self.below(3);
        match self.below(10) {
            0 | 1 if depth > 0 => {
                let anchor = self.anchor();
                format!("{anchor}\n{}", self.block(inner, depth - 1))
            }
            2 if depth > 0 => format!(" {}\n", self.flow(depth - 1)),
            3 => self.literal(inner),
            4 if self.one_in(2) => "\n".to_owned(),
            5 if !self.anchors.is_empty() => format!(" {}\n", self.alias()),
            6 => {
                let anchor = self.anchor();
                format!("{anchor} {}\n", self.scalar())
            }
            _ => format!(" {}\n", self.scalar()),
        }
    }

    fn merged(&mut self) -> String {
        match self.below(3) {
            0 => format!("[{}, {}]", self.alias(), self.alias()),
            1 => self.flow(1),
            _ => self.alias(),
        }
    }

    fn flow(&mut self, depth: usize) -> String {
        let count = self.below(4);
        let is_list = self.one_in(2);
        let parts: Vec<String> = (0..count)
            .map(|_| {
                let value = match self.below(4) {
                    0 if depth > 0 => self.flow(depth - 1),
                    1 if !self.anchors.is_empty() => self.alias(),
                    _ => self.flow_scalar(),
                };
                if is_list {
                    value
                } else {
                    format!("{}: {value}", self.key_word())
                }
            })
            .collect();
        let parts = parts.join(if self.one_in(3) { ",\n  " } else { ", " });
        if is_list {
            format!("[{parts}]")
        } else {
            format!("{{{parts}}}")
        }
    }

    fn literal(&mut self, indent: usize) -> String {
        let pad = " ".repeat(indent);
        let header = self.one_of("| |- |+ > >-");
        let lines = (0..=self.below(2)).map(|_| format!("{pad}{}\n", self.word()));
        let lines: String = lines.collect();
        format!(" {header}\n{lines}")
    }

    fn key(&mut self) -> String {
        match self.below(20) {
            0 if !self.anchors.is_empty() => format!("{} ", self.alias()),
            1 => format!("{} {}", self.one_of(TAGS), self.one_of("1_2 off")),
            2 => format!("? {}\n", self.key_word()),
            3..=8 => self.key_word(),
            // The few keys collide.
            _ => self.one_of("a b 'a' \"b\" 1 true").to_owned(),
        }
    }

    fn key_word(&mut self) -> String {
        let word = self.one_of(WORDS);
        let is_key = !NO_KEYS.split(' ').any(|other| other == word);
        if is_key { word } else { "key" }.to_owned()
    }

    fn scalar(&mut self) -> String {
        match self.below(12) {
            0 => format!("{} {}", self.one_of(TAGS), self.flow_scalar()),
            1 => format!("{} # a comment", self.word()),
            _ => self.flow_scalar(),
        }
    }

    fn flow_scalar(&mut self) -> String {
        let word = self.word();
        match self.below(6) {
            0 => format!("'{}'", word.replace('\'', "''")),
            1 => format!("\"{}\"", word.replace(['"', '\\'], "")),
            2 => {
                let escape = self.one_of("\\n \\t \\x41 \\u00e9 \\\\ \\\" \\0");
                format!("\"{}{escape}\"", word.replace(['"', '\\'], ""))
            }
            _ => word,
        }
    }

    fn word(&mut self) -> String {
        if self.one_in(8) {
            const LETTERS: &str = "0 1 2 3 4 5 6 7 8 9 _ . + - e E x X o b y n";
            let length = 1 + self.below(6);
            let letters = (0..length).map(|_| self.one_of(LETTERS));
            let word: String = letters.collect();
            return if word == "-" { "+".to_owned() } else { word };
        }
        self.one_of(WORDS).to_owned()
    }

    fn anchor(&mut self) -> String {
        if !self.one_in(4) {
            return String::new();
        }
        let name = self.one_of("p q r").to_owned();
        self.anchors.push(name.clone());
        format!(" &{name}")
    }

    fn alias(&mut self) -> String {
        if self.anchors.is_empty() {
            return "*p".to_owned();
        }
        let position = self.below(self.anchors.len());
        let name = self.anchors.get(position).map_or("p", String::as_str);
        format!("*{name}")
    }

    /// Returns an object of JSON with odd spaces.
    fn json(&mut self) -> String {
        const VALUES: &str = r#"1 1.0 -0 1e3 "y" true null [1,{"a":2}] "\u00e9\ud83d\ude00" {}"#;
        let count = self.below(4);
        let members: Vec<String> = (0..count)
            .map(|_| {
                let key = self.one_of("a b y 010");
                format!("\"{key}\" :\t{}", self.one_of(VALUES))
            })
            .collect();
        format!("{{{}}}", members.join(",\n"))
    }

    /// Returns one of the words of a text.
    fn one_of(&mut self, words: &'static str) -> &'static str {
        let position = self.below(words.split(' ').count());
        words.split(' ').nth(position).unwrap_or_default()
    }

    fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// Returns a number below `bound`, by the generator `SplitMix64`.
    fn below(&mut self, bound: usize) -> usize {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        usize::try_from(mixed(self.seed) % bound as u64).unwrap_or_default()
    }
}

fn mixed(seed: u64) -> u64 {
    let mut mixed = seed;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
