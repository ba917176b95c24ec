/**
 * Recognises a line of a stack trace among the lines of an error, which are trimmed.
 *
 * A line is a frame only if it has the whole form: `at name (place:1:2)`, `at file:///place:1:2` or `File "x.py",
 * line 3`. A line that only begins like a frame, such as `at line 1, column 5: unexpected token`, belongs to a
 * message.
 */

const position = String.raw`:\d+(?::\d+)?`

const frame = new RegExp(
  [
    // `at line 1 (input.json:5)` names a place in a document; a name of a function has no number after a space
    String.raw`^at (?!(?:line|column|col|row|position|offset|index|char|character|byte|token)\s\d)(?:async |new )*(?:` +
      [
        // JavaScript: name (place:1:2), name (<anonymous>), name [as other] (native)
        String.raw`[^\s(][^(]{0,200} \((?:[^()]{0,300}${position}|<anonymous>|native|index \d+|eval at .{1,300})\)`,
        String.raw`<anonymous>`,
        // JavaScript without a name
        String.raw`(?:\w+:|[/\\]|[A-Za-z]:\\)\S{0,300}${position}`,
        // Java and .NET: a.b.name(Place.java:1), a.b.Name(String x) in /place:line 1
        String.raw`[\w$.<>\x60/@~+\[\]-]{1,200}\.[\w$<>\x60\[\],]{1,200}\([^()]{0,300}\)(?: in .{1,300}:line \d+)?`
      ].join("|") +
      String.raw`)$`,
    String.raw`^File "[^"]{1,300}", line \d+(?:, in .{1,300})?$`,
    String.raw`^(?:\^+|~+|[~^]+)$`,
    String.raw`^\.\.\. \d+ (?:more|lines?|common frames)`,
    String.raw`^npm (?:error|ERR!) (?:A complete log|Log files)`
  ].join("|")
)

/** True if a trimmed line is a frame of a stack trace, or a mark below a frame. */
export const isFrame = (line: string): boolean => frame.test(line)
