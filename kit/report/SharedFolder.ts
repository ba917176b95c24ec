/** The folder of the files that a report is of. */
import type { Report } from "./Report.ts"

/** The folder that all files share, which no row has to repeat; empty where they share none. */
export const sharedFolder = (files: Report["files"]): string => {
  const [first = "", ...rest] = files.map(({ file }) => file.slice(0, file.lastIndexOf("/") + 1))
  return rest.every((folder) => folder === first) ? first : ""
}
