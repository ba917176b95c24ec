/**
 * Lists the commands in the order of the root's help.
 *
 * A row repeats the short description of its command, so that the root's help lists the command without loading it. A
 * command is loaded only when it is called.
 */

/** The commands, each with its short description and its loader. */
export const commands = [
  {
    name: "run",
    description: "Run a model with guarded tools, and compare it with the bare loop",
    load: async () => (await import("#kit/cli/run/run")).run
  },
  {
    name: "replay",
    description: "Report what the guard would have done with recorded traffic",
    load: async () => (await import("#kit/cli/replay/replay")).replay
  },
  {
    name: "explain",
    description: "Explain the outcome of a call, and what would have let it pass",
    load: async () => (await import("#kit/cli/explain/explain")).explain
  },
  {
    name: "infer",
    description: "Propose schemas for the results of tools, from recorded traffic",
    load: async () => (await import("#kit/cli/infer/infer")).infer
  },
  {
    name: "lint",
    description: "Check the tool definitions that a model reads",
    load: async () => (await import("#kit/cli/lint/lint")).lint
  },
  {
    name: "describe",
    description: "Show the effective policy of tools",
    load: async () => (await import("#kit/cli/describe/describe")).describe
  },
  {
    name: "diff",
    description: "Report breaking changes to tools",
    load: async () => (await import("#kit/cli/diff/diff")).diff
  },
  {
    name: "fuzz",
    description: "Check tools against the guard's promises, with hostile calls and answers",
    load: async () => (await import("#kit/cli/fuzz/fuzz")).fuzz
  },
  {
    name: "golden",
    description: "Record the expected calls of an agent, and compare runs with them",
    load: async () => (await import("#kit/cli/golden/golden")).golden
  },
  {
    name: "approvals",
    description: "List approval requests, and decide them",
    load: async () => (await import("#kit/cli/approvals/approvals")).approvals
  },
  {
    name: "outcomes",
    description: "List calls whose outcome is unknown, and settle them",
    load: async () => (await import("#kit/cli/outcomes/outcomes")).outcomes
  },
  {
    name: "halt",
    description: "Stop all calls of a tool, or list the halted tools",
    load: async () => (await import("#kit/cli/halt/halt")).halt
  },
  {
    name: "resume",
    description: "Let a halted tool be called again",
    load: async () => (await import("#kit/cli/halt/resume")).resume
  },
  {
    name: "calls",
    description: "Export call records",
    load: async () => (await import("#kit/cli/calls/calls")).calls
  },
  {
    name: "forget",
    description: "Erase the stored data of a tenant, a conversation, a principal or a turn",
    load: async () => (await import("#kit/cli/forget/forget")).forget
  },
  {
    name: "runs",
    description: "List, move, cancel and remove runs",
    load: async () => (await import("#kit/cli/runs/runs")).runs
  },
  {
    name: "mcp",
    description: "Serve guarded tools over MCP, or put an MCP server behind the guard",
    load: async () => (await import("#kit/cli/mcp/mcp")).mcp
  },
  {
    name: "openapi",
    description: "Serve guarded tools over HTTP, or import tools from an OpenAPI document",
    load: async () => (await import("#kit/cli/openapi/openapi")).openapi
  }
] as const
