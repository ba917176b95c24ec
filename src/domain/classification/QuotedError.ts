/**
 * An error in the words of an upstream, such as the text of an MCP result that is marked as an error.
 *
 * The classifier reads `evidence` for the class, and quotes the words as the detail. The upstream's statements about
 * itself prove nothing about the side effect of a write [3.3], so no status or code in `evidence` counts for the side
 * effect. Only the status and the headers of the HTTP response count, if they are given.
 */
// @effect-diagnostics-next-line extendsNativeError:off -- a tag would count as a name that decides the class
export class QuotedError extends Error {
  /** The error as the upstream sent it. */
  readonly evidence: unknown
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>

  /** Creates the error from the words of the upstream, which become its message. */
  constructor(
    words: string,
    evidence: unknown,
    response?: { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  ) {
    super(words)
    this.name = "UpstreamError"
    this.evidence = evidence
    if (response !== undefined) {
      this.status = response.status
      this.headers = response.headers
    }
  }
}
