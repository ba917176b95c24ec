/**
 * Follows a run: each message is one event of it, and changes one place on the page. The browser comes back by itself after its
 * connection broke, and is told what it has missed. The address keeps the run, so that a reload follows it again.
 */
const $ = (id) => document.getElementById(id)

const element = (name, className, text) => {
  const made = document.createElement(name)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

const millis = (value) =>
  value < 1 ? "less than 1 ms" : value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`

const state = (is, text) => {
  $("state").dataset.is = is
  $("state").textContent = text
}

const problem = (text) => {
  $("problem").textContent = text
  $("problem").hidden = text === ""
}

let source
let run
/** Rounds by number and calls by id, as they stand on the page. */
let rounds = new Map()
let calls = new Map()

/** Keeps the end in sight for whoever was there before. */
const growing = (change) => {
  const { scrollHeight, scrollTop } = document.documentElement
  const isAtEnd = scrollTop > 0 && scrollTop + innerHeight > scrollHeight - 80
  change()
  if (isAtEnd) scrollTo(0, document.documentElement.scrollHeight)
}

const roundOf = (number) => {
  const known = rounds.get(number)
  if (known) return known
  const item = element("li", "round")
  const said = element("p", "said")
  item.append(element("h2", "", `Round ${number}`), said)
  $("rounds").append(item)
  const made = { item, said }
  rounds.set(number, made)
  return made
}

const note = (number, text) => roundOf(number).item.append(element("p", "note", text))

const callOf = ({ callId, round, tool }) => {
  const known = calls.get(callId)
  if (known) return known
  const item = element("article", "call")
  const head = element("header")
  const verdict = element("span", "verdict", "called")
  head.append(element("h3", "", tool), verdict)
  const attempts = element("ol", "attempts")
  item.append(head)
  const last = [...rounds.values()].at(-1)
  ;(round === undefined ? (last ?? roundOf(1)) : roundOf(round)).item.append(item)
  const made = { item, verdict, attempts, person: undefined }
  calls.set(callId, made)
  return made
}

const judge = (call, is, text) => {
  call.verdict.dataset.is = is
  call.verdict.textContent = text
}

const attempted = (call, className, text) => {
  if (!call.attempts.isConnected) call.item.append(call.attempts)
  call.attempts.append(element("li", className, text))
}

const verdictOf = ({ attempts, isFailure, text }) => {
  const tries = attempts === 1 ? "1 attempt" : `${attempts} attempts`
  try {
    const { error, status } = JSON.parse(text)
    return [isFailure ? "bad" : "good", `${error?.code ?? status} · ${tries}`]
  } catch {
    return [isFailure ? "bad" : "good", tries]
  }
}

/** What stands beside a result: a picture, a text, or what else there is by its name. */
const beside = (part) => {
  if (part.type === "text") return element("p", "part", part.text)
  const name = part.fileName ?? part.mediaType
  if (/^https?:/i.test(part.data)) {
    // the page loads nothing from elsewhere
    const link = element("a", "", name)
    link.href = part.data
    link.target = "_blank"
    link.rel = "noopener noreferrer"
    const line = element("p", "part")
    line.append(link)
    return line
  }
  if (!part.mediaType.startsWith("image/")) return element("p", "part", `A file: ${name}`)
  const image = element("img")
  image.alt = part.fileName ?? "A picture that the tool gave"
  image.src = `data:${part.mediaType};base64,${part.data}`
  return image
}

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const ended = ({ _tag, text, usage }) => {
  const isGood = _tag === "Answered"
  $("end").dataset.is = isGood ? "good" : "bad"
  $("ended").textContent = isGood ? "Answered" : `Ended: ${_tag}`
  $("answer").textContent = text
  const models = usage.byModel.map(({ model }) => model || "a model").join(", ")
  const rows = [
    ["rounds", usage.rounds],
    ["calls", usage.calls],
    ["attempts", usage.attempts],
    ["tokens in", usage.inputTokens],
    ["tokens out", usage.outputTokens],
    ["answered by", models || "nobody"]
  ]
  $("usage").replaceChildren(
    ...rows.map(([name, value]) => {
      const row = element("div")
      row.append(element("dt", "", name), element("dd", "", String(value)))
      return row
    })
  )
  $("end").hidden = false
}

/** What each event changes. Tags that this page does not know are left out. */
const shows = {
  RoundStarted: ({ round }) => roundOf(round),
  Text: ({ delta, round }) => roundOf(round).said.append(delta),
  TextWithdrawn: ({ round }) => {
    roundOf(round).said.textContent = ""
    note(round, "The answer broke off, and is asked for again.")
  },
  ModelRetried: ({ delayMillis, reason, round }) =>
    note(round, `The model did not answer (${reason}); again in ${millis(delayMillis)}.`),
  ModelFellBack: ({ reason, round }) =>
    note(round, `Another model is asked, since the first one did not answer (${reason}).`),
  CallStarted: (event) => {
    const call = callOf(event)
    judge(call, "", "called")
    call.item.append(element("p", "arguments", JSON.stringify(event.arguments)))
  },
  AttemptStarted: (event) => judge(callOf(event), "", event.attempt === 1 ? "runs" : `attempt ${event.attempt} runs`),
  AttemptEnded: (event) => {
    const call = callOf(event)
    const time = millis(event.durationMillis)
    if (event.outcome === "Success") attempted(call, "", `Attempt ${event.attempt} answered after ${time}`)
    else
      attempted(
        call,
        "bad",
        `Attempt ${event.attempt} failed after ${time}: ${event.outcome}${event.code === undefined ? "" : ` (${event.code})`}`
      )
  },
  RetryScheduled: (event) => attempted(callOf(event), "wait", `Again in ${millis(event.delayMillis)}`),
  PersonAsked: (event) => {
    const call = callOf(event)
    judge(call, "waits", "waits for a person")
    const person = element("div", "person")
    const link = element("a", "button", "Decide in the inbox")
    link.href = "approvals"
    link.target = "_blank"
    link.rel = "noopener"
    person.append(element("p", "", event.sentence), link)
    call.person = person
    call.item.append(person)
  },
  CallEnded: (event) => {
    const call = callOf(event)
    call.person?.remove()
    judge(call, ...verdictOf(event))
    call.item.append(...(event.parts ?? []).map(beside))
    const details = element("details")
    details.append(element("summary", "", "What the model reads"), element("pre", "", pretty(event.text)))
    call.item.append(details)
  },
  HistoryRepaired: ({ changes, round }) => note(round, `The conversation was repaired: ${changes.join(", ")}.`),
  Compacted: ({ callIds, round }) => note(round, `${callIds.length} old results were shortened.`),
  Escalated: ({ detail, isApproved, round }) =>
    note(round, `${detail} ${isApproved ? "A person agreed." : "Nobody agreed."}`),
  End: ({ end }) => {
    ended(end)
    over("over")
  }
}

const over = (text) => {
  source?.close()
  source = undefined
  run = undefined
  state("over", text)
  $("stop").disabled = true
}

const follow = (id) => {
  rounds = new Map()
  calls = new Map()
  $("rounds").replaceChildren()
  $("end").hidden = true
  problem("")
  source?.close()
  run = id
  location.hash = id
  $("stop").disabled = false
  state("live", "live")
  source = new EventSource(`runs/${id}/events`)
  source.addEventListener("open", () => state("live", "live"))
  source.addEventListener("message", ({ data }) => {
    const event = JSON.parse(data)
    if (Object.hasOwn(shows, event._tag)) growing(() => shows[event._tag](event))
  })
  source.addEventListener("missed", ({ data }) => {
    const { from, to } = JSON.parse(data)
    note(
      [...rounds.keys()].at(-1) ?? 1,
      `Events ${from} to ${to} came while this page was away, and are not kept any more.`
    )
  })
  source.addEventListener("error", () => {
    if (source?.readyState !== EventSource.CLOSED) return state("away", "coming back")
    over("gone")
    problem("The server knows this run no more.")
  })
}

$("ask").addEventListener("submit", async (event) => {
  event.preventDefault()
  problem("")
  try {
    const response = await fetch("runs", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prompt: $("prompt").value })
    })
    const answer = response.headers.get("content-type")?.startsWith("application/json") ? await response.json() : {}
    if (response.status !== 201) return problem(answer.error ?? `The server refused the run (${response.status}).`)
    follow(answer.id)
  } catch {
    problem("The server cannot be reached.")
  }
})

$("stop").addEventListener("click", async () => {
  if (run !== undefined)
    await fetch(`runs/${run}`, { method: "DELETE" }).catch(() => problem("The server cannot be reached."))
})

const known = /^#([0-9a-f]{32})$/.exec(location.hash)?.[1]
if (known !== undefined) follow(known)
