//! Syntax of a shard selector: the subset of CEL that a selector can contain.

/// A parsed expression.
#[derive(Debug)]
pub(super) enum Expression {
    Or(Box<(Expression, Expression)>),
    Call(String, Vec<Expression>),
    Name(String),
    Member(Box<Expression>, String),
    Text(String),
    /// A literal of another type, by Go's name of the type.
    Literal(&'static str),
}

// === impl Expression ===

impl Expression {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: text };
        let expression = parser.expression(0)?;
        parser.end()?;
        Ok(expression)
    }

    /// Returns the number that CEL's parser gives this kind.
    pub(super) fn kind(&self) -> u8 {
        match self {
            Self::Or(_) | Self::Call(..) => 1,
            Self::Name(_) => 3,
            Self::Text(_) | Self::Literal(_) => 5,
            Self::Member(..) => 7,
        }
    }
}

/// Parser for names, members, calls, strings, numbers, `||` and parentheses.
struct Parser<'a> {
    rest: &'a str,
}

/// Maximum nesting of parentheses and arguments.
const MAX_DEPTH: usize = 32;

// === impl Parser ===

impl Parser<'_> {
    fn expression(&mut self, depth: usize) -> Result<Expression, String> {
        if depth > MAX_DEPTH {
            return Err(self.syntax_error());
        }
        let mut left = self.operand(depth)?;
        while self.takes("||") {
            let right = self.operand(depth)?;
            left = Expression::Or(Box::new((left, right)));
        }
        Ok(left)
    }

    fn operand(&mut self, depth: usize) -> Result<Expression, String> {
        let mut operand = match self.next() {
            Some('(') => {
                self.expect("(")?;
                let inner = self.expression(depth + 1)?;
                self.expect(")")?;
                inner
            }
            Some('\'' | '"') => self.text()?,
            Some(c) if c.is_ascii_digit() => {
                self.word();
                let is_whole = !self.takes(".");
                self.word();
                Expression::Literal(if is_whole { "int64" } else { "float64" })
            }
            Some(_) => self.named(None, depth)?,
            None => return Err(self.syntax_error()),
        };
        while self.takes(".") {
            operand = self.named(Some(operand), depth)?;
        }
        Ok(operand)
    }

    /// Parses a name, or a call of it; `of` is the expression before the dot.
    fn named(&mut self, parent: Option<Expression>, depth: usize) -> Result<Expression, String> {
        let name = self.word();
        if name.is_empty() {
            return Err(self.syntax_error());
        }
        if self.takes("(") {
            // As in the real server, the receiver of a call is ignored.
            return Ok(Expression::Call(name, self.arguments(depth)?));
        }
        Ok(match parent {
            Some(parent) => Expression::Member(Box::new(parent), name),
            None if name == "true" || name == "false" => Expression::Literal("bool"),
            None => Expression::Name(name),
        })
    }

    fn arguments(&mut self, depth: usize) -> Result<Vec<Expression>, String> {
        let mut arguments = Vec::new();
        if self.takes(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression(depth + 1)?);
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(arguments)
    }

    fn text(&mut self) -> Result<Expression, String> {
        let mut chars = self.rest.chars();
        let quote = chars.next().unwrap_or_default();
        let rest = chars.as_str();
        // The only strings are numbers, which contain no escapes.
        match rest.split_once(quote) {
            Some((text, rest)) if !text.contains(['\\', '\n']) => {
                self.rest = rest;
                Ok(Expression::Text(text.to_owned()))
            }
            _ => Err(self.syntax_error()),
        }
    }

    fn word(&mut self) -> String {
        self.next();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    /// Skips white space and returns the next character.
    fn next(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn takes(&mut self, token: &str) -> bool {
        self.next();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.takes(token) {
            Ok(())
        } else {
            Err(self.syntax_error())
        }
    }

    fn end(&mut self) -> Result<(), String> {
        match self.next() {
            None => Ok(()),
            Some(_) => Err(self.syntax_error()),
        }
    }

    fn syntax_error(&self) -> String {
        let rest: String = self.rest.chars().take(20).collect();
        if rest.is_empty() {
            "CEL parse error: Syntax error: unexpected end".to_owned()
        } else {
            format!("CEL parse error: Syntax error at {rest:?}")
        }
    }
}
