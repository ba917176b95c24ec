/** Reports for tests of the page: one with findings in every section, one with hostile texts, and several without findings. */
import type { CallDetail, ConversationDetail, Report } from "#kit/report/Report"

const file = "logs/monday.jsonl"

/** Creates a successful call. */
export const call = (over: Partial<CallDetail> = {}): CallDetail => ({
  call: 1,
  turn: 1,
  round: 1,
  tool: "search_orders",
  arguments: `{"customer_id":"C-9921"}`,
  verdict: "ran",
  detail: "",
  answer: `{"orders":["O-1043"]}`,
  isSuspect: false,
  ...over
})

/** Creates a conversation with calls. */
export const conversationOf = (over: Partial<ConversationDetail> = {}): ConversationDetail => {
  const calls = over.calls ?? [call()]
  return {
    file,
    line: 1,
    conversation: "monday/1",
    model: "model-a",
    count: calls.length,
    failed: 0,
    saved: 0,
    calls,
    ...over
  }
}

/** A row of a tool without calls. */
const unused = {
  calls: 0,
  failed: 0,
  refused: 0,
  saved: 0,
  inputTokens: 0,
  outputTokens: 0,
  answerTokens: 0,
  money: null
} as const

/** A report without input. */
export const empty: Report = {
  version: 1,
  files: [],
  totals: {
    conversations: 0,
    turns: 0,
    rounds: 0,
    calls: 0,
    unanswered: 0,
    succeeded: 0,
    partial: 0,
    failed: 0,
    declared: 0,
    fromUserMessages: 0,
    notEnforced: 0,
    inputTokens: 0,
    outputTokens: 0
  },
  guarded: { succeeded: 0, partial: 0, failed: 0, refused: 0, declared: 0, saved: 0, unanswered: 0 },
  failures: [],
  declared: [],
  refused: [],
  repeats: { calls: 0, sameAnswer: 0, longestRun: 0, groups: { total: 0, shown: [] } },
  loops: { total: 0, shown: [] },
  saved: {
    calls: 0,
    byReason: { recall: 0, replay: 0, unchanged: 0, loop: 0, budget: 0 },
    rounds: 0,
    inputTokens: 0,
    outputTokens: 0,
    money: null
  },
  asked: [],
  rejected: [],
  results: [],
  alarms: { total: 0, shown: [] },
  suspects: { total: 0, shown: [] },
  repair: [],
  rollout: [],
  tools: [],
  changes: [],
  strict: [],
  time: null,
  lengths: { conversations: [], repeats: [] },
  unchecked: { total: 0, shown: [] },
  skipped: { total: 0, shown: [] },
  conversations: { total: 0, shown: [] }
}

/** A report on conversations without calls. */
export const silent: Report = {
  ...empty,
  files: [{ file, conversations: 3, calls: 0 }],
  totals: { ...empty.totals, conversations: 3 }
}

/** A report on input in which no line could be read. */
export const unreadable: Report = {
  ...empty,
  skipped: { total: 2, shown: [1, 2].map((line) => ({ file, line, reason: "This line is not JSON." })) }
}

/** A report without findings. */
export const perfect: Report = {
  ...empty,
  files: [{ file, conversations: 2, calls: 7 }],
  totals: {
    conversations: 2,
    turns: 3,
    rounds: 6,
    calls: 7,
    unanswered: 0,
    succeeded: 7,
    partial: 0,
    failed: 0,
    declared: 0,
    fromUserMessages: 0,
    notEnforced: 0,
    inputTokens: 0,
    outputTokens: 0
  },
  repeats: { ...empty.repeats, longestRun: 1 },
  tools: [{ ...unused, tool: "search_orders", calls: 7 }]
}

const stopped = Array.from({ length: 9 }, (_, index) =>
  call({
    call: 4 + index,
    round: 4 + index,
    verdict: "stopped",
    detail: `HumanReview loop_detected: The identical call gave the same result ${index + 2} times. It is not made again.`
  })
)

/** A conversation with a failure, a refusal, a loop of nine calls, and a suspect after calls that are not listed. */
const looping = conversationOf({
  count: 60,
  failed: 2,
  saved: 10,
  calls: [
    call({
      verdict: "failed",
      detail: "Transient unavailable: 503 Service Unavailable",
      answer: "503 Service Unavailable"
    }),
    call({
      call: 2,
      round: 2,
      tool: "refund_order",
      verdict: "refused",
      detail: "ToolArgError invalid_arguments: cents: Required"
    }),
    call({ call: 3, round: 3 }),
    ...stopped,
    call({ call: 50, turn: 2, verdict: "answered from memory", isSuspect: true, answer: `{"orders":["O-1044"]}` })
  ]
})

const at = (number: number, of: ConversationDetail = looping) => ({
  file: of.file,
  line: of.line,
  conversation: of.conversation,
  call: number
})

const others = Array.from({ length: 14 }, (_, index) =>
  conversationOf({
    line: index + 2,
    conversation: `monday/${index + 2}`,
    model: index % 2 === 0 ? "model-a" : "model-b",
    failed: 1,
    count: 1 + index
  })
)

const toolNames = Array.from({ length: 16 }, (_, index) => `tool_${String.fromCharCode(97 + index)}`)

/** A report with a finding in every section. */
export const full: Report = {
  version: 1,
  files: [
    { file, conversations: 20, calls: 1_480 },
    { file: "logs/tuesday.jsonl.gz", conversations: 4, calls: 20 }
  ],
  totals: {
    conversations: 24,
    turns: 40,
    rounds: 900,
    calls: 1_500,
    unanswered: 3,
    succeeded: 1_400,
    partial: 17,
    failed: 80,
    declared: 2,
    fromUserMessages: 0,
    notEnforced: 12,
    inputTokens: 3_200_000,
    outputTokens: 41_000
  },
  guarded: { succeeded: 1_180, partial: 17, failed: 163, refused: 25, declared: 2, saved: 110, unanswered: 3 },
  declared: [{ tool: "search_orders", code: "customer_blocked", count: 2, first: at(3) }],
  failures: [
    { tool: "search_orders", class: "Transient", code: "unavailable", count: 30, first: at(1) },
    { tool: "refund_order", class: "ToolArgError", code: "invalid_arguments", count: 25, first: at(2) },
    { tool: "search_orders", class: "PartialData", code: "truncated_response", count: 17, first: at(3, others[2]) },
    ...toolNames.map((tool, index) => ({
      tool,
      class: "Permanent" as const,
      code: "wrong_state",
      count: 16 - index,
      first: { file: "logs/tuesday.jsonl.gz", line: 7, conversation: "not on the page", call: 3 }
    }))
  ],
  refused: [{ code: "invalid_arguments", count: 25 }],
  repeats: {
    calls: 120,
    sameAnswer: 110,
    longestRun: 10,
    groups: {
      total: 1,
      shown: [{ ...at(0), tool: "search_orders", calls: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13], count: 13, answers: 2 }]
    }
  },
  loops: {
    total: 2,
    shown: [
      { ...at(0), tool: "search_orders", pattern: "cycle", turn: 1, calls: [7], count: 1 },
      { ...at(0), tool: "search_orders", pattern: "identical", turn: 1, calls: [4, 5, 6, 7, 12], count: 9 }
    ]
  },
  saved: {
    calls: 110,
    byReason: { recall: 8, replay: 1, unchanged: 3, loop: 96, budget: 2 },
    rounds: 100,
    inputTokens: 2_345_678,
    outputTokens: 4_321,
    money: 7.1
  },
  asked: [{ tool: "refund_order", count: 12 }],
  rejected: [
    {
      part: "arguments",
      tool: "refund_order",
      path: "cents",
      problem: "missing",
      count: 25,
      accepted: 0,
      examples: [{ sent: "(nothing)", at: at(2) }],
      suggestion: { _tag: "keep" },
      reason: "The tool accepted 0 of 25 calls with it.",
      passes: { alone: 0, together: 0 }
    },
    {
      part: "arguments",
      tool: "search_orders",
      path: "page",
      problem: "expected integer, got null",
      count: 4,
      accepted: 4,
      examples: [{ sent: "null", at: at(3) }],
      suggestion: { _tag: "nullable" },
      reason: "The tool accepted 4 of 4 calls with it.",
      passes: { alone: 4, together: 4 }
    },
    {
      part: "arguments",
      tool: "search_orders",
      path: "status",
      problem: "not one of 4 values",
      count: 3,
      accepted: 2,
      examples: [{ sent: `"shipping"`, at: at(3) }],
      suggestion: { _tag: "wider enum", values: ["shipping", "lost"] },
      reason: "The tool accepted 2 of 3 calls with it.",
      passes: { alone: 3, together: 3 }
    },
    {
      part: "result",
      tool: "search_orders",
      path: "orders[].note",
      problem: "expected string, got null",
      count: 9,
      accepted: 9,
      examples: [{ sent: "null", at: at(3) }],
      suggestion: { _tag: "nullable" },
      reason: "9 of 400 different answers have it.",
      line: 'note: Schema.NullOr(\n  Schema.String.check(Schema.isMaxCodePoints(2_000)).annotate({ description: "What the customer wrote." })\n)',
      passes: { alone: 9, together: 9 }
    },
    {
      part: "result",
      tool: "search_orders",
      path: "(whole)",
      problem: "truncated JSON",
      count: 3,
      accepted: 2,
      examples: [{ sent: `"{\\"orders\\":[{"`, at: at(4) }],
      suggestion: { _tag: "keep" },
      reason: "The answer is not the JSON that the schema describes.",
      passes: { alone: 0, together: 0 }
    }
  ],
  results: [
    { tool: "search_orders", checked: 400, rejected: 12, enforced: 12, failed: 10, passes: 9 },
    { tool: "refund_order", checked: 80, rejected: 0, enforced: 0, failed: 0, passes: 0 }
  ],
  alarms: {
    total: 1,
    shown: [
      { ...at(9), tool: "search_orders", answers: 40, watched: 40, broken: 6, path: "orders[].due", proposed: null }
    ]
  },
  suspects: {
    total: 1,
    shown: [{ ...at(50), tool: "search_orders", reason: "recall", missed: `{"orders":["O-1044"]}`, missedAt: 50 }]
  },
  repair: [
    { tool: "search_orders", class: "Transient", model: "model-a", failures: 30, repaired: 27 },
    { tool: "refund_order", class: "ToolArgError", model: "model-b", failures: 25, repaired: 5 },
    { tool: "refund_order", class: "Permanent", model: "", failures: 4, repaired: 0 }
  ],
  rollout: [
    {
      tool: "search_orders",
      enforced: { conversations: 12, calls: 60, failed: 15, repaired: 12, notEnforced: 0, tokens: 120_000 },
      advised: { conversations: 110, calls: 520, failed: 30, repaired: 20, notEnforced: 98, tokens: 1_090_000 },
      leftOut: 2
    }
  ],
  tools: [
    { ...unused, tool: "search_orders", calls: 1_000, failed: 40, saved: 110, inputTokens: 3_000_000 },
    { ...unused, tool: "refund_order", calls: 364, failed: 40, refused: 25, inputTokens: 200_000 },
    ...toolNames.map((tool, index) => ({ ...unused, tool, calls: 16 - index, failed: 16 - index }))
  ],
  changes: [
    { reason: "loop", calls: 96, suspects: 0 },
    { reason: "invalid_arguments", calls: 25, suspects: 2 },
    { reason: "recall", calls: 8, suspects: 1 },
    { reason: "unchanged", calls: 3, suspects: 0 },
    { reason: "budget", calls: 2, suspects: 0 },
    { reason: "replay", calls: 1, suspects: 0 },
    { reason: "ended", calls: 1, suspects: 1 }
  ],
  strict: [
    { tool: "search_orders", worked: 950, violating: 7, accepted: 6, refused: 6 },
    { tool: "refund_order", worked: 300, violating: 25, accepted: 0, refused: 0 }
  ],
  time: {
    from: Date.UTC(2026, 0, 5, 9),
    stepMillis: 3_600_000,
    columns: [
      { calls: 700, failed: 50, blocked: 30 },
      { calls: 0, failed: 0, blocked: 0 },
      { calls: 500, failed: 30, blocked: 105 }
    ],
    timed: 1_200
  },
  lengths: {
    conversations: [
      { from: 1, to: 1, count: 3 },
      { from: 2, to: 2, count: 0 },
      { from: 3, to: 4, count: 21 }
    ],
    repeats: [{ from: 2, to: 2, count: 40 }]
  },
  unchecked: {
    total: 1,
    shown: [{ tool: "search_orders", pointer: "/properties/id/pattern", reason: "The pattern is not valid." }]
  },
  skipped: { total: 4, shown: [{ file, line: 99, reason: "Unexpected end of JSON input." }] },
  conversations: { total: 230, shown: [looping, ...others] }
}

const hostileTexts = [
  `</script><script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onmouseover='alert(1)`,
  "`${alert(1)}`",
  `</style><style>*{display:none}</style>`,
  `<!--`,
  `]]>`,
  `&lt;b&gt;&amp;`,
  `\u202egpj.exe\u202c`,
  `\u0000\u0007\u001b[31m\u007f`,
  `\u200b\ufeff\u2028\u2029`,
  `\ud800 half`,
  `שלום عالم`,
  `very-long-${"x".repeat(10_000)}`,
  `${"\u0000".repeat(10_000)}`,
  `javascript:alert(1)`,
  `__proto__`,
  `constructor`,
  ``
]

/** A large report with names and texts that an attacker chose. */
export const hostile: Report = (() => {
  let next = 0
  const text = () => {
    next += 1
    return hostileTexts[next % hostileTexts.length] ?? ""
  }
  const place = () => ({ file: text(), line: 1, conversation: text(), call: 2 })
  const many = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
    Array.from({ length: count }, (_, index) => make(index))
  const calls = many(200, (index) =>
    call({ call: index + 1, tool: text(), arguments: text(), verdict: text(), detail: text(), answer: text() })
  )
  const own = many(200, (line) => ({ file: text(), line, conversation: text() }))
  return {
    ...full,
    files: many(hostileTexts.length, () => ({ file: text(), conversations: 1, calls: 1 })),
    failures: many(2_000, (index) => ({
      tool: text(),
      class: "Permanent",
      code: text(),
      count: index,
      first: place()
    })),
    refused: many(600, () => ({ code: text(), count: 1 })),
    loops: {
      total: 9_999,
      shown: many(600, () => ({ ...place(), tool: text(), pattern: "cycle", turn: 1, calls: [1, 2], count: 2 }))
    },
    repeats: {
      ...full.repeats,
      groups: {
        total: 600,
        shown: many(600, () => ({ ...place(), tool: text(), calls: [1, 2], count: 2, answers: 1 }))
      }
    },
    asked: many(40, () => ({ tool: text(), count: 1 })),
    rejected: many(5_000, () => ({
      part: "result",
      tool: text(),
      path: text(),
      problem: text(),
      count: 1,
      accepted: 1,
      examples: many(3, () => ({ sent: text(), at: place() })),
      suggestion: { _tag: "wider enum", values: many(10, text) },
      reason: text(),
      line: `${text()}\n  ${text()}`,
      passes: { alone: 1, together: 1 }
    })),
    suspects: {
      total: 1_000,
      shown: many(1_000, () => ({ ...place(), tool: text(), reason: "loop", missed: text(), missedAt: 2 }))
    },
    repair: many(2_000, () => ({ tool: text(), class: "Transient", model: text(), failures: 2, repaired: 1 })),
    tools: many(5_000, () => ({ ...unused, tool: text(), calls: 2, failed: 1 })),
    unchecked: { total: 200, shown: many(200, () => ({ tool: text(), pointer: text(), reason: text() })) },
    skipped: { total: 100, shown: many(100, () => ({ file: text(), line: 1, reason: text() })) },
    conversations: {
      total: 5_000,
      shown: own.map((one) =>
        conversationOf({
          ...one,
          model: text(),
          count: 300,
          calls
        })
      )
    }
  }
})()
