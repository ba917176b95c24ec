/**
 * Contains the page's script, which sorts, filters and folds tables, and names the open conversation in the title.
 * Without JavaScript, all rows are visible.
 */
export const script = `"use strict"
const longest = 10
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" })
const element = (name, attributes, text) => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  if (text !== undefined) made.textContent = text
  return made
}
const amount = (text) => {
  const found = /-?\\d[\\d,]*(?:\\.\\d+)?/.exec(text)
  return found === null ? -1 : Number(found[0].replaceAll(",", "")) - (text.includes("<") ? 0.001 : 0)
}
const plural = (count) => count.toLocaleString("en") + (count === 1 ? " row" : " rows")

for (const box of document.querySelectorAll("[data-table]")) {
  const table = box.querySelector("table")
  const body = table.tBodies[0]
  const heads = [...table.tHead.rows[0].cells]
  const caption = table.caption.textContent.trim()
  let rows = [...body.rows]
  if (rows.length < 2) continue
  let words = []
  let isFolded = rows.length > longest + 2
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]))
  const cells = new Map(rows.map((row) => [row, [...row.cells].map((cell) => cell.textContent.trim())]))

  const bar = element("div", { class: "tools" })
  const status = element("p", { class: "quiet", role: "status" })
  const more = element("button", { type: "button", class: "more", "aria-expanded": "false" })
  const show = () => {
    const found = rows.filter((row) => words.every((word) => texts.get(row).includes(word)))
    const seen = new Set(isFolded && words.length === 0 ? found.slice(0, longest) : found)
    for (const row of rows) {
      row.hidden = !seen.has(row)
      row.classList.toggle("folded", row.hidden && words.length === 0)
    }
    status.textContent = words.length > 0 ? plural(found.length) + " of " + plural(rows.length) : ""
    more.hidden = words.length > 0 || rows.length <= longest + 2
    more.textContent = isFolded ? "Show all " + plural(rows.length) : "Show the first " + longest
    more.setAttribute("aria-expanded", String(!isFolded))
  }
  if (rows.length > longest + 2) {
    const filter = element("input", { type: "search", placeholder: "Filter", "aria-label": "Filter: " + caption, autocomplete: "off", spellcheck: "false" })
    filter.addEventListener("input", () => {
      words = filter.value.toLowerCase().split(/\\s+/).filter((word) => word !== "")
      show()
    })
    more.addEventListener("click", () => {
      isFolded = !isFolded
      show()
      if (isFolded) box.scrollIntoView({ block: "nearest" })
    })
    bar.append(filter, status)
    box.prepend(bar)
    box.append(more)
  }
  heads.forEach((head, index) => {
    if (head.classList.contains("chart")) return
    const isNumber = head.classList.contains("number")
    const button = element("button", { type: "button" }, head.textContent)
    head.textContent = ""
    head.append(button)
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort")
      const order = before === null ? (isNumber ? "descending" : "ascending") : before === "ascending" ? "descending" : "ascending"
      for (const other of heads) other.removeAttribute("aria-sort")
      head.setAttribute("aria-sort", order)
      const sign = order === "ascending" ? 1 : -1
      const valueOf = (row) => cells.get(row)[index]
      rows = rows.toSorted((a, b) => sign * (isNumber ? amount(valueOf(a)) - amount(valueOf(b)) : collator.compare(valueOf(a), valueOf(b))))
      body.append(...rows)
      show()
    })
  })
  show()
}

const title = document.title
const follow = () => {
  const open = document.querySelector(".conversation:target, .conversation:has(:target)")
  const heading = open === null ? "" : open.querySelector("h2").textContent.trim()
  document.title = heading === "" ? title : heading + " – " + title
}
addEventListener("hashchange", follow)
follow()
`
