/**
 * Removes stack traces of JavaScript, Python, JVM languages, .NET, Go, Rust, Ruby and PHP from a text.
 *
 * The message of an error is kept, and its frames are removed. The frames can be on separate lines or joined to one
 * line.
 */

const frame = new RegExp(
  [
    // JavaScript, Java, .NET: at name (place), at place:1:2
    String.raw`^\s+at\s+(?:async\s+|new\s+)?[\w$.<>\x60/@~+-]{1,200}(?:\s\[as\s[\w$]+\])?\s?(?:\([^)]{0,300}\)|:\d+(?::\d+)?)(?:\s+in\s+.{1,300}:line\s+\d+)?\s*$`,
    String.raw`^\s*at\s+(?:async\s+)?(?:file:|node:|[/\\]|[A-Za-z]:\\)\S+\s*$`,
    String.raw`^\s*\.{3}\s+\d+\s+(?:more|lines?|common frames).*$`,
    // Python
    String.raw`^\s*File\s+"[^"]{1,300}",\s+line\s+\d+.*$`,
    String.raw`^\s*\^+~*\s*$`,
    // Go
    String.raw`^goroutine\s+\d+\s+\[.*$`,
    String.raw`^\s*\S+\.go:\d+(?:\s+\+0x[0-9a-f]+)?\s*$`,
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
const python = /^\s*Traceback \(most recent call last\):\s*$/
const inLine = new RegExp(
  String.raw`(?:\s|\\n)+at\s+(?:async\s+|new\s+)?(?:` +
    // name (place:1) or name (<anonymous>), place:1:2
    String.raw`[\w$.<>[\] ]{1,120}\s\((?:<anonymous>|[^\s)]{1,300}:\d+)\)` +
    String.raw`|(?:file:|node:|[/\\]|[A-Za-z]:\\)[^\s)]{1,300}:\d+:\d+)(?=[\s"',;\\]|$)`,
  "g"
)
const inLineJava = /(?:\s|\\n|\\t)+at\s+[\w$.]{3,200}\([\w$]{1,100}\.(?:java|kt|scala|groovy):\d+\)/g
const inLinePython =
  /Traceback \(most recent call last\):(?:\s|\\n)*(?:File\s+\\?"[^"\\]{1,300}\\?",\s+line\s+\d+(?:,\s+in\s+[\w<>]{1,100})?.{0,300}?(?=File\s+\\?"|(?:\s|\\n)[\w.]{2,100}(?:Error|Exception|Warning|Exit|Interrupt)\b|$)(?:\s|\\n)*)+/g

const mayHold = /\bat\b|Traceback|File "|goroutine|stack|#\d|\.rb:/i

const withoutFrames = (text: string): string => {
  const otherLines: Array<string> = []
  let inPython = false
  for (const line of text.split(/\r?\n/)) {
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
