/** The table of what each host did about each failure. */
import { hosts } from "./effectHosts.ts"
import { judged } from "./run.ts"
import { scenarios, type Verdict } from "./scenarios.ts"

/** What a host did about a failure. */
export interface Cell extends Verdict {
  readonly host: string
  readonly isGuarded: boolean
}

/** A failure, with a cell for each host. */
export interface Row {
  readonly failure: string
  readonly cells: ReadonlyArray<Cell>
}

/** Runs all failures in the hosts whose names contain `filter`, one after the other. */
export const rowsOf = async (filter: string): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const scenario of scenarios) {
    const cells: Array<Cell> = []
    for (const host of hosts.filter(({ name }) => name.includes(filter)))
      cells.push({ host: host.name, isGuarded: host.isGuarded, ...(await judged(host, scenario)) })
    rows.push({ failure: scenario.name, cells })
  }
  return rows
}

const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

/** Returns the rows as a table of Markdown. What a host handled is in bold. */
export const markdown = (rows: ReadonlyArray<Row>): string => {
  const hosts = rows[0]?.cells ?? []
  return [
    line(["failure", ...hosts.map(({ host, isGuarded }) => `${host}, ${isGuarded ? "guarded" : "bare"}`)]),
    line(["failure", ...hosts].map(() => "---")),
    ...rows.map(({ cells, failure }) =>
      line([failure, ...cells.map(({ isHandled, text }) => (isHandled ? `**${text}**` : text))])
    )
  ].join("\n")
}
