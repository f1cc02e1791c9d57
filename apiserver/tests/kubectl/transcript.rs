//! Sessions, as a page has them: `$ command`, `> more of it`, and what it printed.

const PAGE: &str = include_str!("../../../docs/apiserver-reference.md");

/// The commands of one block, which one shell runs.
#[derive(Debug)]
pub(crate) struct Session {
    /// Whether the real server gives the same outputs.
    pub(crate) everywhere: bool,
    pub(crate) steps: Vec<Step>,
}

#[derive(Debug, Default)]
pub(crate) struct Step {
    /// With the end of its line.
    pub(crate) command: String,
    pub(crate) output: String,
}

impl Session {
    /// Commands whose outputs nobody has foretold.
    pub(crate) fn of(commands: impl IntoIterator<Item = String>) -> Self {
        let steps = commands.into_iter().map(|command| Step {
            command: format!("{command}\n"),
            output: String::new(),
        });
        Self {
            everywhere: true,
            steps: steps.collect(),
        }
    }
}

/// All sessions of the page.
pub(crate) fn sessions() -> Vec<Session> {
    let mut found = Vec::new();
    let mut lines = PAGE.lines();
    while let Some(line) = lines.next() {
        let Some(mark) = line.strip_prefix("```console") else {
            continue;
        };
        let block = lines.by_ref().take_while(|line| *line != "```");
        found.push(Session {
            everywhere: mark.is_empty(),
            steps: steps(block),
        });
    }
    assert!(found.iter().any(|session| session.everywhere));
    found
}

fn steps<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in lines {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: format!("{command}\n"),
                output: String::new(),
            });
            continue;
        }
        let step = steps.last_mut().unwrap();
        // What a shell asks for more with; no output of ours starts so.
        let (text, line) = match line.strip_prefix("> ") {
            Some(more) => (&mut step.command, more),
            None => (&mut step.output, line),
        };
        text.push_str(line);
        text.push('\n');
    }
    steps
}
