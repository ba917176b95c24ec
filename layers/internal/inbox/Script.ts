/**
 * What the page does where JavaScript runs: it keeps the list up to date without losing what a person has typed. Without it
 * the page works the same, by reloading.
 */
export const script = `"use strict"
const list = document.querySelector("[data-live]")
if (list !== null) {
  const said = document.querySelector("[data-said]")
  const empty = document.querySelector("[data-empty]")
  const idsOf = (root) => new Map([...root.querySelectorAll("[data-id]")].map((item) => [item.dataset.id, item]))
  let isBusy = false
  let isAsked = false
  const update = async () => {
    if (isBusy) { isAsked = true; return }
    isBusy = true
    try {
      const response = await fetch(location.href, { headers: { accept: "text/html" }, cache: "no-store" })
      if (response.redirected || response.status === 401) { location.reload(); return }
      if (!response.ok) return
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html")
      const freshList = fresh.querySelector("[data-live]")
      if (freshList === null) return
      const before = idsOf(list)
      const now = idsOf(freshList)
      let added = 0
      let gone = 0
      for (const [id, item] of before) {
        const next = now.get(id)
        if (next !== undefined) {
          item.querySelector("[data-times]").replaceWith(next.querySelector("[data-times]"))
        } else if (item.contains(document.activeElement) || [...item.querySelectorAll("textarea")].some(({ value }) => value !== "")) {
          if (item.dataset.over === undefined) {
            item.dataset.over = ""
            gone += 1
            for (const button of item.querySelectorAll("button")) button.disabled = true
            const over = document.createElement("p")
            over.className = "message bad"
            over.textContent = "This has been decided elsewhere, or its time is over."
            item.querySelector("form").before(over)
          }
        } else {
          gone += 1
          item.remove()
        }
      }
      for (const [id, item] of now) {
        if (before.has(id)) continue
        added += 1
        list.append(item)
      }
      document.querySelector("[data-count]").replaceWith(fresh.querySelector("[data-count]"))
      document.title = fresh.title
      empty.hidden = fresh.querySelector("[data-empty]").hidden
      const words = []
      if (added > 0) words.push(added === 1 ? "One new request." : added + " new requests.")
      if (gone > 0) words.push(gone === 1 ? "One request was decided or is over." : gone + " requests were decided or are over.")
      if (words.length > 0) said.textContent = words.join(" ")
    } catch {
      // the server is away for a while: the next event, or the next half minute, tries again
    } finally {
      isBusy = false
      if (isAsked) { isAsked = false; update() }
    }
  }
  new EventSource(list.dataset.live).addEventListener("changed", update)
  setInterval(update, 30000)
}
`
