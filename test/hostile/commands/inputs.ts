/** Hostile inputs, each with a command that reads it. */
import { between, compress, numbered, repeated, write } from "./files.ts"
import { pairs } from "./schemas.ts"

/** One command with one hostile input. */
export interface Case {
  readonly command: "replay" | "diff" | "lint" | "openapi"
  readonly input: string
  /** Writes the files of the case into a folder. Returns the arguments, and the files that the command reads. */
  readonly make: (folder: string) => Promise<MadeInput> | MadeInput
}

interface MadeInput {
  readonly args: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

const json = (value: unknown): string => JSON.stringify(value)
const deep = (levels: number, inner = "1"): string => `${'{"a":['.repeat(levels)}${inner}${"]}".repeat(levels)}`

/** Texts that attack patterns, terminals and pages. */
const texts: ReadonlyArray<string> = [
  "a".repeat(40),
  `${"a".repeat(5_000)}!`,
  "\ud800\u0000\u001b[2J\u009b31m\u202e\u2028",
  "<script>alert(1)</script><!-- ${x} {{x}} ]]> </title></script>",
  "[x](javascript:alert(1)) ![](http://evil.example/) | a | b |\n# h",
  "__proto__"
]

const call = (id: string, name: string, args: string): unknown => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name, arguments: args } }]
})
const answer = (id: string, content: string): unknown => ({ role: "tool", tool_call_id: id, content })

/** Returns a recorded conversation whose calls have the given arguments, and results with the same content. */
const recorded = (parameters: unknown, args: ReadonlyArray<unknown>): string =>
  json({
    tools: [{ type: "function", function: { name: "find_it", description: "Finds it.", parameters } }],
    messages: [
      { role: "user", content: "Go" },
      ...args.flatMap((each, n) => [call(`c${n}`, "find_it", json(each)), answer(`c${n}`, json(each))])
    ]
  })

const replayed = (input: string, pieces: () => Iterable<string>, flags: ReadonlyArray<string> = []): Case => ({
  command: "replay",
  input,
  make: (folder) => {
    const file = write(folder, "log.jsonl", pieces())
    return { args: ["replay", file, ...flags], files: [file] }
  }
})

const unpacked = (input: string, pieces: () => Iterable<string>): Case => ({
  command: "replay",
  input,
  make: async (folder) => {
    const file = await compress(folder, "log.jsonl.gz", pieces())
    return { args: ["replay", file], files: [file] }
  }
})

const open = '{"messages":[{"role":"user","content":"Go"}'
const pair = (n: number, args: string, content = "{}"): string =>
  `,${json(call(`c${n}`, "find_it", args))},${json(answer(`c${n}`, content))}`

const tools = (n: number): unknown => ({
  type: "function",
  function: { name: `t${n}`, parameters: { type: "object", properties: { a: { type: "string" } } } }
})

const replay: ReadonlyArray<Case> = [
  replayed("a line of 200 MB", () =>
    between(open, repeated(`,{"role":"user","content":"${"x".repeat(1_000)}"}`, 200_000), "]}\n")
  ),
  replayed("a text of 60 MB", () =>
    between('{"messages":[{"role":"user","content":"', repeated("x", 60_000_000), '"}]}\n')
  ),
  replayed("100,000 levels in a line", () => [`${open},{"role":"user","content":${deep(100_000)}}]}\n`]),
  replayed("100,000 levels in arguments", () => [`${open}${pair(1, deep(100_000), deep(100_000))}]}\n`]),
  replayed("1,000,000 keys in a line", () =>
    between(
      `${open},{"role":"user",`,
      numbered(1_000_000, (n) => `"k${n}":1`),
      "}]}\n"
    )
  ),
  replayed("1,000,000 keys in arguments", () => [
    `${open}${pair(1, `{${Array.from({ length: 1_000_000 }, (_, n) => `"k${n}":1`).join()}}`)}]}\n`
  ]),
  replayed("1,000,000 keys in a result", () => [
    `${open}${pair(1, "{}", `{${Array.from({ length: 1_000_000 }, (_, n) => `"k${n}":1`).join()}}`)}]}\n`
  ]),
  replayed("250,000 distinct calls in a line", () =>
    between(
      open,
      numbered(250_000, (n) => pair(n, `{"n":${n}}`), ""),
      "]}\n"
    )
  ),
  replayed("300,000 calls of one message", () => [
    `${open},${json({ role: "assistant", content: null, tool_calls: Array.from({ length: 300_000 }, (_, n) => ({ id: `c${n}`, type: "function", function: { name: "find_it", arguments: `{"n":${n}}` } })) })}]}\n`
  ]),
  replayed("60,000 answers of one message in reverse order", () => [
    `${open},${json({ role: "assistant", content: null, tool_calls: Array.from({ length: 60_000 }, (_, n) => ({ id: `c${n}`, type: "function", function: { name: "find_it", arguments: "{}" } })) })}${Array.from({ length: 60_000 }, (_, n) => `,{"role":"tool","tool_call_id":"c${59_999 - n}","content":"1"}`).join("")}]}\n`
  ]),
  replayed("1,000,000 tools without schemas", () =>
    between(
      '{"tools":[',
      numbered(1_000_000, (n) => `{"name":"t${n}"}`),
      '],"messages":[]}\n'
    )
  ),
  replayed("200,000 lone surrogates", () => [
    `${open}${pair(1, `{"q":"${"\\ud800".repeat(200_000)}"}`, `{"a":"${"\\udfff".repeat(200_000)}"}`)}]}\n`
  ]),
  replayed("200,000 tools in a line", () => [
    `${json({ tools: Array.from({ length: 200_000 }, (_, n) => tools(n)), messages: [call("c", "t7", "{}"), answer("c", "{}")] })}\n`
  ]),
  replayed("20,000 names of tools", () =>
    numbered(20_000, (n) => `${open},${json(call("c", `t${n}`, `{"n":${n}}`))},${json(answer("c", "{}"))}]}\n`, "")
  ),
  replayed("5,000 schemas of one tool", () =>
    numbered(
      5_000,
      (n) =>
        `${recorded({ type: "object", properties: { [`p${n}`]: { type: "string" } }, required: [`p${n}`] }, [{ n }])}\n`,
      ""
    )
  ),
  replayed("50,000 different faults of a result", () => [
    `${recorded(
      { type: "object", properties: {}, additionalProperties: false },
      Array.from({ length: 5_000 }, (_, n) =>
        Object.fromEntries(Array.from({ length: 10 }, (__, k) => [`f${n}_${k}`, 1]))
      )
    )}\n`
  ]),
  replayed("numbers of 1,000,000 digits", () => [
    `${open}${pair(1, `{"n":${"9".repeat(1_000_000)},"e":1e999999999,"z":-0.0${"0".repeat(1_000_000)}1}`)}]}\n`
  ]),
  replayed("1,000,000 invalid lines", () => between(`${open}]}\n`, repeated("{x\n", 1_000_000), "")),
  replayed("surrogates, controls and markup", () => [
    `${recorded(
      { type: "object" },
      texts.map((q) => ({ q, [q]: q }))
    )}\n`
  ]),
  {
    command: "replay",
    input: "markup in a page",
    make: (folder) => {
      const file = write(folder, "log.jsonl", [
        `${recorded(
          { type: "object", properties: {} },
          texts.map((q) => ({ [q]: q }))
        )}\n`
      ])
      return { args: ["replay", file, "--html", `${folder}/page.html`], files: [file] }
    }
  },
  {
    command: "replay",
    input: "250,000 distinct calls in a page",
    make: (folder) => {
      const file = write(
        folder,
        "log.jsonl",
        between(
          open,
          numbered(250_000, (n) => pair(n, `{"n":${n}}`, `{"error":"e${n}"}`), ""),
          "]}\n"
        )
      )
      return { args: ["replay", file, "--html", `${folder}/page.html`], files: [file] }
    }
  },
  {
    command: "replay",
    input: "250,000 distinct calls, inferred",
    make: (folder) => {
      const file = write(
        folder,
        "log.jsonl",
        between(
          open,
          numbered(250_000, (n) => pair(n, `{"n${n % 1_000}":${n}}`, `{"r${n}":1}`), ""),
          "]}\n"
        )
      )
      return { args: ["replay", file, "--infer"], files: [file] }
    }
  },
  unpacked("2 GB of zeros in gzip", () => repeated("0", 2_000_000_000)),
  unpacked("1 GB of empty lines in gzip", () => repeated("\n", 1_000_000_000)),
  unpacked("1 GB of invalid lines in gzip", () => repeated(`{${"x".repeat(100)}\n`, 10_000_000)),
  unpacked("60 MB of identical calls in gzip", () => between(open, repeated(pair(1, '{"n":1}'), 300_000), "]}\n"))
]

/** Arguments of calls that attack the patterns of a hostile schema. */
const attacks = Array.from({ length: 20 }, (_, n) => ({ q: texts[n % 2]?.repeat(1 + (n % 3)) ?? "" }))

const list = (parameters: unknown): unknown => ({
  tools: [{ name: "find_it", description: "Finds it.", inputSchema: parameters, outputSchema: parameters }]
})
const lock = (parameters: unknown): unknown => ({
  toolguard: 1,
  tools: { find_it: { description: "Finds it.", parameters, result: parameters } }
})
/** Returns an OpenAPI document. `more` can add `$defs` at its root, to which `#/$defs` refers. */
const api = (paths: object, more: object = {}): unknown => ({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  servers: [{ url: "http://localhost" }],
  ...more,
  paths
})
const content = (schema: unknown): object => ({ content: { "application/json": { schema } } })
const operation = (schema: unknown): object => ({
  post: {
    operationId: "findIt",
    summary: "Finds it.",
    requestBody: content(schema),
    responses: { 200: { description: "ok", ...content(schema) } }
  }
})

const ofSchemas: ReadonlyArray<Case> = Object.entries(pairs).flatMap(([input, make]): ReadonlyArray<Case> => {
  const files = (folder: string) => {
    const [before, after] = make()
    return {
      log: () => write(folder, "log.jsonl", [`${recorded(after, attacks)}\n`]),
      list: () => write(folder, "list.json", [json(list(after))]),
      lock: () => write(folder, "lock.json", [json(lock(before))]),
      api: () => write(folder, "api.json", [json(api({ "/it": operation(after) }, { $defs: after["$defs"] ?? {} }))])
    }
  }
  return [
    replayedSchema(input, (folder) => files(folder).log()),
    {
      command: "lint",
      input,
      make: (folder) => {
        const file = files(folder).list()
        return { args: ["lint", file], files: [file] }
      }
    },
    {
      command: "diff",
      input,
      make: (folder) => {
        const [after, before] = [files(folder).list(), files(folder).lock()]
        return { args: ["diff", after, "--lock", before], files: [after, before] }
      }
    },
    {
      command: "openapi",
      input,
      make: (folder) => {
        const file = files(folder).api()
        return { args: ["openapi", "import", file], files: [file] }
      }
    }
  ]
})

function replayedSchema(input: string, log: (folder: string) => string): Case {
  return {
    command: "replay",
    input,
    make: (folder) => {
      const file = log(folder)
      return { args: ["replay", file], files: [file] }
    }
  }
}

const one = (
  command: Case["command"],
  input: string,
  args: (file: string) => ReadonlyArray<string>,
  pieces: () => Iterable<string>
): Case => ({
  command,
  input,
  make: (folder) => {
    const file = write(folder, "input.json", pieces())
    return { args: args(file), files: [file] }
  }
})

const linted = (file: string): ReadonlyArray<string> => ["lint", file]
const imported = (file: string): ReadonlyArray<string> => ["openapi", "import", file]
const compared = (file: string): ReadonlyArray<string> => ["diff", file, "--lock", file]

const mcpTool = (n: number): string =>
  json({
    name: `get_thing_${n}`,
    description: `Gets thing ${n}.`,
    inputSchema: { type: "object", properties: { q: { type: "string" } } }
  })

/** Texts that are hostile in every format that a command may expect. */
const anyTexts: Readonly<Record<string, () => Iterable<string>>> = {
  "200 MB": () => between('{"tools":[', repeated(`{"name":"${"x".repeat(1_000)}"},`, 200_000), "{}]}"),
  "600 MB": () => between('{"tools":["', repeated("x", 600_000_000), '"]}'),
  "100,000 levels": () => [`{"tools":[{"name":"a","inputSchema":${deep(100_000)}}]}`],
  "1,000,000 keys": () =>
    between(
      '{"tools":[],',
      numbered(1_000_000, (n) => `"k${n}":1`),
      "}"
    ),
  "9 MB of brackets": () => ["[".repeat(9_000_000)],
  "9 MB of empty objects": () => between('{"tools":[', repeated("{},", 3_000_000), "{}]}"),
  "numbers of 1,000,000 digits": () => [
    `{"tools":[{"name":"a","inputSchema":{"maximum":${"9".repeat(1_000_000)},"minimum":-1e999999}}]}`
  ],
  "500,000 duplicates of a key": () =>
    between(
      '{"tools":[],',
      numbered(500_000, () => '"k":1'),
      "}"
    ),
  "NUL and binary": () => ["\u0000\u0001\ufffd".repeat(100_000)]
}

const lists: Readonly<Record<string, () => Iterable<string>>> = {
  "20,000 tools": () => between('{"tools":[', numbered(20_000, mcpTool), "]}"),
  "5,000 tools with one name": () =>
    between(
      '{"tools":[',
      numbered(5_000, () => mcpTool(1)),
      "]}"
    ),
  "5,000 similar tools with 20 fields": () =>
    between(
      '{"tools":[',
      numbered(5_000, (n) =>
        json({
          name: `get_the_thing_${n}`,
          description: "Gets the thing of a user. ".repeat(20),
          inputSchema: {
            type: "object",
            properties: Object.fromEntries(Array.from({ length: 20 }, (_, k) => [`f${k}`, { type: "string" }]))
          }
        })
      ),
      "]}"
    ),
  "a description of 9 MB": () =>
    between('{"tools":[{"name":"a","description":"', repeated("one of `a`, `b`; e.g. 'x' | ", 300_000), '"}]}'),
  "a name of 1 MB": () => [
    json({ tools: [{ name: "get_a_".repeat(150_000), description: "d", inputSchema: { type: "object" } }] })
  ],
  "100,000 fields of 1,000 tools": () =>
    between(
      '{"tools":[',
      numbered(1_000, (n) =>
        json({
          name: `t${n}`,
          inputSchema: {
            type: "object",
            properties: Object.fromEntries(Array.from({ length: 100 }, (_, k) => [`f_${n}_${k}`, {}]))
          }
        })
      ),
      "]}"
    ),
  "surrogates, controls and markup": () => [
    json({
      tools: texts.map((name) => ({
        name,
        description: name,
        inputSchema: { type: "object", properties: { [name]: { description: name, enum: [name] } } }
      }))
    })
  ]
}

const ofAnyTexts: ReadonlyArray<Case> = Object.entries(anyTexts).flatMap(([input, pieces]) => [
  one("lint", input, linted, pieces),
  one("diff", input, compared, pieces),
  one("openapi", input, imported, pieces)
])

const ofLists: ReadonlyArray<Case> = Object.entries(lists).flatMap(([input, pieces]): ReadonlyArray<Case> => [
  one("lint", input, linted, pieces),
  {
    command: "diff",
    input,
    make: (folder) => {
      const after = write(folder, "list.json", pieces())
      const before = write(folder, "lock.json", [json(lock({ type: "object" }))])
      return { args: ["diff", after, "--lock", before], files: [after, before] }
    }
  }
])

const minimal = json({ get: { responses: { 200: { description: "ok" } } } })
const document = (paths: Iterable<string>, more = ""): Iterable<string> =>
  between(
    `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"servers":[{"url":"http://localhost"}]${more},"paths":{`,
    paths,
    "}}"
  )

const parameters = (count: number): object => ({
  get: {
    operationId: "findIt",
    parameters: Array.from({ length: count }, (_, n) => ({ name: `p${n}`, in: "query", schema: { type: "string" } })),
    responses: {}
  }
})

const pathsOfOneSchema = (count: number): Iterable<string> =>
  document(
    numbered(
      count,
      (n) =>
        `"/p${n}":${json({ post: { requestBody: content({ $ref: "#/components/schemas/Node" }), responses: {} } })}`
    ),
    `,"components":{"schemas":${json({ Node: { type: "object", properties: { next: { $ref: "#/components/schemas/Node" }, other: { $ref: "#/components/schemas/Other" } } }, Other: { type: "object", properties: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`n${n}`, { $ref: "#/components/schemas/Node" }])) } })}}`
  )

const documents: Readonly<Record<string, () => Iterable<string>>> = {
  "100,000 paths": () => document(numbered(100_000, (n) => `"/p${n}":${minimal}`)),
  "20,000 paths of one schema": () => pathsOfOneSchema(20_000),
  "2,000 paths of one schema": () => pathsOfOneSchema(2_000),
  "20,000 operations with one name": () =>
    document(numbered(20_000, (n) => `"/p${n}":${json({ get: { operationId: "find it", responses: {} } })}`)),
  "templates of 20,000 parts": () =>
    document([
      `"${"/{a}".repeat(20_000)}":${minimal},"${"{".repeat(20_000)}":${minimal},"/${"{a".repeat(20_000)}${"}".repeat(20_000)}":${minimal}`
    ]),
  "100,000 parameters": () => [json(api({ "/it": parameters(100_000) }))],
  "1,000 schemas of 50 references": () => [
    json(
      api(
        Object.fromEntries(
          Array.from({ length: 1_000 }, (_, n) => [
            `/p${n}`,
            { post: { requestBody: content({ $ref: `#/components/schemas/S${n}` }), responses: {} } }
          ])
        ),
        {
          components: {
            schemas: Object.fromEntries(
              Array.from({ length: 1_000 }, (_, n) => [
                `S${n}`,
                {
                  type: "object",
                  properties: Object.fromEntries(
                    Array.from({ length: 50 }, (__, k) => [
                      `f${k}`,
                      { $ref: `#/components/schemas/S${(n * 7 + k * 13) % 1_000}` }
                    ])
                  )
                }
              ])
            )
          }
        }
      )
    )
  ],
  "`$ref` cycles of paths and parameters": () => [
    json(
      api(
        {
          "/a": { $ref: "#/paths/~1b" },
          "/b": { $ref: "#/paths/~1a" },
          "/c": { get: { parameters: [{ $ref: "#/components/parameters/P" }], responses: {} } }
        },
        { components: { parameters: { P: { $ref: "#/components/parameters/P" } } } }
      )
    )
  ],
  "servers with 10,000 variables": () => [
    json(
      api(
        { "/it": operation({}) },
        {
          servers: [
            {
              url: `http://localhost/${Array.from({ length: 10_000 }, (_, n) => `{v${n}}`).join("")}`,
              variables: Object.fromEntries(
                Array.from({ length: 10_000 }, (_, n) => [`v${n}`, { default: `{v${n + 1}}{v${n + 1}}` }])
              )
            }
          ]
        }
      )
    )
  ],
  "surrogates, controls and markup": () => [
    json(
      api(
        Object.fromEntries(
          texts.map((text) => [
            `/${text}`,
            {
              get: {
                operationId: text,
                summary: text,
                parameters: [{ name: text, in: "query", schema: { enum: [text] } }],
                responses: {}
              }
            }
          ])
        )
      )
    )
  ]
}

const ofDocuments: ReadonlyArray<Case> = Object.entries(documents).flatMap(([input, pieces]) => [
  one("openapi", input, imported, pieces),
  one("lint", `OpenAPI: ${input}`, linted, pieces)
])

export const cases: ReadonlyArray<Case> = [...replay, ...ofAnyTexts, ...ofLists, ...ofSchemas, ...ofDocuments]
