/**
 * Defines the light and dark colours of the page by role. A test computes the contrast of every pair that is used
 * together.
 */

/** The colours of each role, for the light and the dark scheme. */
export const colours = {
  ground: ["#f5f6f8", "#0f1217"],
  surface: ["#ffffff", "#181c23"],
  sunken: ["#f1f3f6", "#12161c"],
  text: ["#171b22", "#e8ebf1"],
  quiet: ["#586070", "#a5aebd"],
  line: ["#dfe3ea", "#2c333e"],
  field: ["#7d8695", "#76808f"],
  accent: ["#2450c8", "#9ab6ff"],
  // coloured text, and its background as a badge
  good: ["#11653d", "#7fdcab"],
  goodGround: ["#e2f4ea", "#163326"],
  warn: ["#7a4b00", "#f3c56b"],
  warnGround: ["#fcefd2", "#3a2c0e"],
  bad: ["#a92323", "#ff9f98"],
  badGround: ["#fde8e6", "#43201f"],
  saved: ["#3d41b8", "#b5b9ff"],
  savedGround: ["#e9eafc", "#272a52"],
  plainGround: ["#eceff3", "#262c36"],
  // marks of charts
  goodMark: ["#2c9a6a", "#4fb989"],
  warnMark: ["#c07d00", "#d99b2b"],
  badMark: ["#d24a43", "#e8736c"],
  savedMark: ["#5a5fe0", "#8187f5"],
  refusedMark: ["#a8488f", "#cf76b8"],
  plainMark: ["#848d9c", "#7d8796"],
  track: ["#e9ecf1", "#262c36"],
  // a heat map, from few to many
  heat1: ["#fdecea", "#2e1d1e"],
  heat2: ["#f9d0cb", "#4a2626"],
  heat3: ["#f0a59d", "#733430"],
  heat4: ["#b9322b", "#f0867e"],
  onHeat: ["#2b0f0d", "#ffe3e0"],
  onHeat4: ["#ffffff", "#1d0807"]
} as const satisfies { readonly [role: string]: readonly [light: string, dark: string] }

/** The role of a colour. */
type Role = keyof typeof colours

/** The minimum contrasts that WCAG requires for text (`text`) and for meaningful graphics (`mark`). */
const text = 4.5
const mark = 3

const grounds = ["ground", "surface", "sunken"] as const satisfies ReadonlyArray<Role>
const inks = ["text", "quiet", "accent"] as const satisfies ReadonlyArray<Role>
const states = ["good", "warn", "bad", "saved"] as const satisfies ReadonlyArray<Role>
const marks = ["goodMark", "warnMark", "badMark", "savedMark", "refusedMark", "plainMark"] as const

/** The colours that are used together, as foreground, background and their minimum contrast. */
export const pairs: ReadonlyArray<readonly [front: Role, behind: Role, least: number]> = [
  ...inks.flatMap((ink) => grounds.map((ground) => [ink, ground, text] as const)),
  ...states.flatMap((state) => [
    [state, "surface", text] as const,
    [state, "ground", text] as const,
    [state, `${state}Ground`, text] as const
  ]),
  ["text", "plainGround", text],
  ["quiet", "plainGround", text],
  ["text", "warnGround", text],
  ["text", "goodGround", text],
  ["text", "badGround", text],
  ["field", "surface", mark],
  ["accent", "ground", mark],
  ...marks.map((each) => [each, "surface", mark] as const),
  ...(["heat1", "heat2", "heat3"] as const).map((heat) => ["onHeat", heat, text] as const),
  ["onHeat4", "heat4", text]
]

/** Returns the CSS variables of a scheme: `0` is light, `1` is dark. */
export const variables = (scheme: 0 | 1): string =>
  Object.entries(colours)
    .map(([role, both]) => `--${role}:${both[scheme]}`)
    .join(";")
