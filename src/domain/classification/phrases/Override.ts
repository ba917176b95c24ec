/** Fixed messages that are more specific than the code that accompanies them. They are matched before the codes. */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose } from "#domain/classification/codes/Diagnosis"

export const overrides: ReadonlyArray<Phrase> = [
  phrase("spawn:missing", diagnose("missing_software"), [
    /\bspawn(?:sync)? [^\n]{1,200} enoent\b/,
    /\bchildprocess\.spawn\b[^\n]{0,300}\bnotfound\b/,
    /\bnotfound: childprocess\b/
  ]),
  phrase("spawn:limit", diagnose("too_many_open"), [/\bspawn(?:sync)? [^\n]{1,200} eagain\b/, /\bfork: retry: /]),
  phrase("errno:socket", diagnose("misconfigured"), [/\bconnect enoent \/\S{1,200}/]),
  phrase("errno:connect", diagnose("timeout"), [/\bconnect etimedout\b/]),
  phrase("tls:connect", diagnose("connection_failed"), [/\bbefore secure tls connection was established\b/]),
  phrase("git:index-lock", diagnose("lock_conflict"), [/\.lock': file exists\b/]),
  phrase("tool:name", diagnose("unknown_tool"), [
    /\b(?:no such|unknown) (?:tool|function) name\b/,
    /\b(?:mcp|json-?rpc) error:? -326\d\d: (?:unknown tool|(?:tool|function) ['"`]?[\w.:/-]{1,80}['"`]? (?:was |is )?(?:not found|unknown|does not exist|not available))/
  ]),
  phrase("tool:output", diagnose("invalid_result"), [
    /\boutput ?schema\b[^.\n]{0,40}\b(?:but|not|no|did not|missing|violated|failed)\b/,
    /\bstructured content does not match the tool's output schema\b/
  ]),
  // fetch reports `terminated` if it cannot read a response body, because the upstream sent broken data. The code does
  // not matter.
  phrase("fetch:encoding", diagnose("unexpected_content"), [
    /\bterminated\n(?:incorrect (?:header|data) check|invalid (?:block type|stored block|distance|code|literal|window))/,
    /\bterminated\n(?:unknown compression method|decompression failed|unknown frame descriptor|data corruption)/,
    /\binvalid response body while trying to fetch\b[^\n]{0,300}: (?:incorrect|invalid|unknown|decompression)\b/,
    /\btoo many content-encodings in response\b/
  ]),
  // Some clients report only the status, after a fixed sentence.
  phrase("http:bare", diagnose("unavailable"), [/\bstatus[_ ]?code ?[:=] ?50[0234]\s*$/]),
  // Gateways report a failure of their upstream as a 400.
  phrase("gateway:upstream", diagnose("unavailable"), [
    /\bprovider returned error\b/,
    /\bupstream (?:connect error|request failed|error: 5\d\d)\b/,
    /; internal_error; received from peer\b/
  ])
]
