/**
 * Removes stack traces of JavaScript, Python, JVM languages, .NET, Go, Rust, Ruby, PHP, Elixir and Erlang from a text.
 *
 * The message of an error is kept, and its frames are removed. Frames of JavaScript, Java and Python can also be joined
 * into one line, or separated by the line breaks of HTML.
 */

/** A place in a document, such as `line 1`. After `at` it belongs to the message of an error. */
const place = String.raw`(?:line|column|col|row|position|offset|index|char|character|byte|token)\s+\d`

const frame = new RegExp(
  [
    // JavaScript, Java, .NET: at name (place), at place:1:2
    String.raw`^\s+at\s+(?!${place})(?:async\s+|new\s+)?[\w$.<>\x60/@~+-]{1,200}(?:\s\[as\s[\w$]+\])?\s?(?:\([^)]{0,300}\)|:\d+(?::\d+)?)(?:\s+in\s+.{1,300}:line\s+\d+)?\s*$`,
    String.raw`^\s*at\s+(?:async\s+)?(?:file:|node:|[/\\]|[A-Za-z]:\\)\S+\s*$`,
    String.raw`^\s*\.{3}\s+\d+\s+(?:more|lines?|common frames).*$`,
    // Python
    String.raw`^\s*File\s+"[^"]{1,300}",\s+line\s+\d+.*$`,
    String.raw`^\s*\^+~*\s*$`,
    // Go
    String.raw`^goroutine\s+\d+\s+\[.*$`,
    String.raw`^\s*\S+\.go:\d+(?:\s+\+0x[0-9a-f]+)?\s*$`,
    String.raw`^\s*(?:[\w.$/-]{1,200}\.)?(?:\(\*?[\w.$]{1,100}\)\.)?[\w.$\[\]]{1,200}\((?=[^()]*(?:0x|\.\.\.))(?:0x[0-9a-f]+\??|\.\.\.|[{}, _])+\)\s*$`,
    String.raw`^\s*created by \S{1,300}(?: in goroutine \d+)?\s*$`,
    String.raw`^\s*exit status \d+\s*$`,
    // Elixir, Erlang
    String.raw`^\s+(?:\([\w.~+ -]{1,80}\)\s+)?\S{1,300}\.(?:exs?|erl):\d+:\s.*$`,
    // Rust
    String.raw`^\s*\d+:\s+(?:0x[0-9a-f]+\s+-\s+)?[\w:<>{}$&,. ]+\s*$`,
    String.raw`^\s*stack backtrace:\s*$`,
    // Ruby
    String.raw`^\s*(?:from\s+)?\S+\.rb:\d+:in\s.*$`,
    // PHP
    String.raw`^#\d+\s+.*$`,
    String.raw`^Stack trace:\s*$`
  ].join("|")
)
const python = /^\s*(?:Exception Group )?Traceback \(most recent call last\):\s*$/
const inLine = new RegExp(
  String.raw`(?:\s|\\n|<br ?\/?>|&nbsp;|&#160;)+at\s+(?!${place})(?:async\s+|new\s+)?(?:` +
    // name (place:1) or name (<anonymous>), place:1:2
    String.raw`[\w$.<>[\] ]{1,120}\s\((?:<anonymous>|[^\s)]{1,300}:\d+)\)` +
    String.raw`|(?:file:|node:|[/\\]|[A-Za-z]:\\)[^\s)]{1,300}:\d+:\d+)(?=[\s"',;\\<]|$)`,
  "g"
)
const inLineJava = /(?:\s|\\n|\\t)+at\s+[\w$.]{3,200}\([\w$]{1,100}\.(?:java|kt|scala|groovy):\d+\)/g
const inLinePython =
  /Traceback \(most recent call last\):(?:\s|\\n)*(?:File\s+\\?"[^"\\]{1,300}\\?",\s+line\s+\d+(?:,\s+in\s+[\w<>]{1,100})?.{0,300}?(?=File\s+\\?"|(?:\s|\\n)[\w.]{2,100}(?:Error|Exception|Warning|Exit|Interrupt)\b|$)(?:\s|\\n)*)+/g

/** Matches the mark before each line of a Python exception group. */
const groupMark = /^\s*(?:\+ (?=Exception Group)|\| ?|\+-[+-]*(?: (?:\d+|\.{3}) )?-*$)/
const isGroup = /Exception Group Traceback/

const mayHold = /\bat\b|Traceback|File "|goroutine|stack|#\d|\.rb:|\.go:\d|\.(?:exs?|erl):\d/i

const withoutFrames = (text: string): string => {
  const otherLines: Array<string> = []
  let inPython = false
  const hasGroup = isGroup.test(text)
  for (const whole of text.split(/\r?\n/)) {
    const line = hasGroup ? whole.replace(groupMark, "") : whole
    if (line === "" && whole !== "") continue
    if (python.test(line)) {
      inPython = true
      continue
    }
    // In Python, the indented line of code follows its frame.
    if (inPython && /^\s/.test(line)) continue
    inPython = false
    if (!frame.test(line)) otherLines.push(line)
  }
  return otherLines.join("\n")
}

/** Returns the text without the frames of stack traces. A text without frames is returned unchanged. */
export const dropStacks = (text: string): string => {
  if (!mayHold.test(text)) return text
  const oneLine = text.replace(inLinePython, "").replace(inLineJava, "").replace(inLine, "")
  const lines = oneLine.includes("\n") ? withoutFrames(oneLine) : oneLine
  return lines === text ? text : lines.trim()
}
