/**
 * The expected outcome of each hostile upstream: class, code and side effect, which are the same for the program and the
 * model.
 *
 * The columns are the tools of `tools.ts`: a read with a schema, a read of any JSON, a read of text, a write, and a
 * write whose upstream honours an idempotency key. A row contains the outcomes and the names of the behaviours.
 */
const unknown = "HumanReview outcome_unknown unknown"
const done = "SchemaMismatch done_unreadable committed"
const noResult = "SchemaMismatch done_without_result committed"
const truncated = "SchemaMismatch truncated_response committed"

type Row = readonly [outcomes: ReadonlyArray<string>, names: string]

const every = (outcome: string) => [outcome, outcome, outcome, outcome, outcome]
const reads = (outcome: string, onWrite: string) => [outcome, outcome, outcome, onWrite, onWrite]
const json = (outcome: string, onWrite: string) => [outcome, outcome, "ok", onWrite, onWrite]
/** Returns the expected failure of a write, which fails like a read, but with an unknown side effect. */
const answered = (outcome: string) => `${outcome} unknown`

const rows: ReadonlyArray<Row> = [
  [every("ok"), "fine early_hints_flood json_as_html invalid_utf8 latin1 bom utf16 duplicate_keys encoding_unknown"],
  [every("ok"), "lone_surrogates control_characters most_numbers huge_wide_string trailers chunk_extension_huge"],
  [reads("Transient timeout none", unknown), "hang_before_headers hang_in_headers hang_in_body"],
  [reads("Transient timeout none", unknown), "drip_headers drip_body drip_error"],
  [reads("Transient timeout none", unknown), "hang_in_informational_flood hang_in_tls"],
  [reads("Transient connection_lost none", unknown), "reset_before_headers reset_in_headers closed_before_headers"],
  [reads("Transient connection_lost none", unknown), "switching_protocols redirect_to_file"],
  [reads("Transient body_cut none", unknown), "reset_after_headers reset_in_body closed_in_body closed_in_chunk"],
  [reads("Transient body_cut none", unknown), "closed_between_chunks chunked_garbage length_too_long length_absurd"],
  [reads("Transient body_cut none", unknown), "trailers_huge trailers_many"],
  [
    reads("SchemaMismatch unexpected_content none", answered("SchemaMismatch unexpected_content")),
    "gzip_garbage gzip_missing"
  ],
  [reads("SchemaMismatch unexpected_content none", unknown), "not_http length_negative"],
  [json("SchemaMismatch unexpected_content none", answered("SchemaMismatch unexpected_content")), "html html_as_json"],
  [json("SchemaMismatch truncated_response none", truncated), "length_too_short cut_utf8 gzip_broken truncated_json"],
  [json("SchemaMismatch truncated_response none", truncated), "wrong_rows_cut"],
  [
    json("SchemaMismatch invalid_result_json none", answered("SchemaMismatch invalid_result_json")),
    "png utf16_without_bom"
  ],
  [
    json("SchemaMismatch invalid_result none", answered("SchemaMismatch invalid_result")),
    "proto constructor_prototype"
  ],
  [
    json("SchemaMismatch invalid_result_json none", answered("SchemaMismatch invalid_result_json")),
    "trailing_junk json_lines deep_arrays deep_objects deep_unclosed"
  ],
  [json("SchemaMismatch invalid_result_json none", noResult), "blank"],
  [["SchemaMismatch invalid_result_json none", "ok", "ok", noResult, noResult], "empty no_content"],
  [["SchemaMismatch invalid_result none", "ok", "ok", done, done], "null_body wrong_shape most_keys"],
  [json("Permanent tool_failed none", answered("Permanent tool_failed")), "success_leak"],
  [json("SchemaMismatch invalid_result none", done), "number_too_large number_long"],
  [
    json("Permanent response_too_large none", answered("Permanent response_too_large")),
    "million_keys keys_of_many_objects many_objects many_numbers"
  ],
  [
    reads("Permanent response_too_large none", answered("Permanent response_too_large")),
    "big_with_length big_without_length endless"
  ],
  [reads("Permanent response_too_large none", unknown), "huge_headers many_headers"],
  [reads("Permanent refused none", unknown), "redirect_loop redirect_circle"],
  [reads("Permanent misconfigured none", unknown), "tls_to_http"],
  [reads("Permanent misconfigured none", answered("Permanent misconfigured")), "redirect_without_location"],
  [reads("Permanent misconfigured none", answered("Permanent misconfigured")), "bad_port"],
  [every("Transient rate_limited none"), "rate_limited_endless rate_limited_negative rate_limited_garbage"],
  [every("Transient rate_limited none"), "rate_limited_past rate_limited_future rate_limited_huge"],
  [
    reads("Transient unavailable none", unknown),
    "unavailable internal_leak internal_leak_text internal_leak_html endless_error"
  ],
  [every("Transient unavailable none"), "unavailable_retry_now"],
  [every("Permanent unauthorized none"), "unauthorized_leak"],
  [every("ToolArgError invalid_request none"), "bad_request_leak"],
  [every("Permanent not_found none"), "not_found_leak"],
  [reads("Permanent tool_failed none", answered("Permanent tool_failed")), "status_999 status_600"],
  [every("Transient connection_failed none"), "refused unknown_host"]
]

/** Outcomes that differ between clients. `undici` and `http` neither follow redirects nor decompress bodies. */
const differences: Readonly<Record<string, ReadonlyArray<Row>>> = {
  fetch: [],
  undici: [
    [
      reads("Permanent misconfigured none", answered("Permanent misconfigured")),
      "redirect_loop redirect_circle redirect_to_file"
    ],
    [every("ok"), "gzip_missing"],
    [
      json("SchemaMismatch invalid_result_json none", answered("SchemaMismatch invalid_result_json")),
      "gzip_broken gzip_garbage"
    ]
  ],
  http: [
    [
      reads("Permanent misconfigured none", answered("Permanent misconfigured")),
      "redirect_loop redirect_circle redirect_to_file"
    ],
    [every("ok"), "gzip_missing"],
    [
      json("SchemaMismatch invalid_result_json none", answered("SchemaMismatch invalid_result_json")),
      "gzip_broken gzip_garbage"
    ],
    [reads("SchemaMismatch unexpected_content none", unknown), "length_absurd"],
    [reads("Transient body_cut none", unknown), "chunk_extension_huge"],
    [reads("Permanent tool_failed none", answered("Permanent tool_failed")), "switching_protocols"]
  ]
}

/** The tools in the columns of `expected`. */
export const columns = ["get_order", "get_anything", "get_text", "refund_order", "place_order"] as const

const named = (list: ReadonlyArray<Row>) =>
  list.flatMap(([outcomes, names]) =>
    names
      .split(" ")
      .map((name) => [name, new Map(columns.map((tool: string, index) => [tool, outcomes[index] ?? ""]))] as const)
  )

/**
 * The HTTP clients under test, with the tools that are called through each. How the guard reads a body depends on the tool and
 * not on the client, so a read and a write suffice for the others.
 */
export const clients = {
  fetch: columns,
  undici: ["get_order", "refund_order"],
  http: ["get_order", "refund_order"]
} as const

export type Client = keyof typeof clients

/** Returns the outcomes of the tools that are called through a client, by behaviour and tool. */
export const expected = (client: Client): ReadonlyMap<string, ReadonlyMap<string, string>> =>
  new Map(
    [...named(rows), ...named(differences[client] ?? [])].map(([name, outcomes]) => [
      name,
      new Map(clients[client].map((tool) => [tool, outcomes.get(tool) ?? ""]))
    ])
  )

/** The behaviours that take the most memory, each with a tool and its outcome. Each runs in a separate process. */
export const heavy: ReadonlyArray<readonly [name: string, tool: string, outcome: string]> = [
  ["big_without_length", "get_anything", "Permanent response_too_large none"],
  ["endless", "get_text", "Permanent response_too_large none"],
  ["gzip_bomb", "get_anything", "Permanent response_too_large none"],
  ["gzip_bomb_of_json", "refund_order", answered("Permanent response_too_large")],
  ["brotli_bomb", "get_order", "Permanent response_too_large none"],
  ["deep_unclosed", "get_anything", "SchemaMismatch invalid_result_json none"],
  ["million_keys", "get_anything", "Permanent response_too_large none"],
  ["most_keys", "get_anything", "ok"],
  ["most_objects", "get_anything", "ok"],
  ["most_texts", "refund_order", "ok"],
  ["wrong_rows", "list_orders", "SchemaMismatch invalid_result none"],
  ["wrong_row_at_the_end", "list_orders", "PartialData salvaged none"],
  ["good_rows", "get_order", "ok"],
  ["huge_string", "refund_order", "ok"],
  ["huge_mixed_string", "get_anything", "ok"]
]
