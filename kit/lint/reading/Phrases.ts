/** Recognizes the phrases with which an English description says when to use a tool, and when not to use it. */

const when = new RegExp(
  [
    String.raw`\buse (?:this|it|the|when|whenever|for|to|if|after|before|only|in|where|instead|with)\b(?! tool\b\.)`,
    String.raw`\b(?:useful|helpful|ideal|best|perfect|great|good|suitable|suited|recommended|appropriate|intended|meant|designed|required|needed|handy|convenient|essential|powerful) (?:for|when|whenever|to|if|as|in|before|after)\b`,
    String.raw`\b(?:when|whenever|if|once|after|before|in case|while|unless|until) (?:you|the user|users|a user|it|they|someone|needed|asked|requested|necessary|required|possible|calling|using|making|the|an?|this|there|no|your|working|creating|starting)\b`,
    String.raw`\b(?:should|must|can|could|may) (?:be )?(?:used|called|run|invoked|use|call)\b`,
    String.raw`\bcall (?:this|it|before|after|when|if|first)\b`,
    String.raw`\b(?:so that|in order to|allows? (?:you|users|the)|lets you|enables? you|helps? (?:you|to|users|with|identify|understand)?)\b`,
    String.raw`\b(?:in order to|to) (?:show|display|visuali[sz]e|help|identify|understand|determine|demonstrate|illustrate|compare|let|allow)\b`,
    String.raw`\b(?:use cases?|usage|purpose|prerequisites?|examples? of use|scenarios?)\b`,
    String.raw`\bfor (?:example|use|finding|getting|checking|creating|searching|viewing|debugging|testing|working|when|users who|cases)\b`
  ].join("|"),
  "iu"
)

const whenNot =
  /\b(?:(?:do not|don['’]t|never|cannot|can['’]t|not|isn['’]t|won['’]t|doesn['’]t|does not|will not|should not|shouldn['’]t|must not)\b|instead\b|rather than|only (?:if|when|for|works?|available|supports?|use|one|on|within|in|after|once|valid|applies|returns?)|avoid|except|unless|prefer|deprecated|no longer|without|limitations?|before using|use .{1,40} (?:tool|first)\b)/iu

/** Matches phrases that introduce lists and do not say when to use the tool. */
const filler = /\byou can use this tool\b|\bexample[s]?\b/giu

/** True if a description says when to use its tool. */
export const saysWhen = (text: string): boolean => when.test(text.replaceAll(filler, ""))

/** True if a description says when not to use its tool, or what it does not do. */
export const saysWhenNot = (text: string): boolean => whenNot.test(text.replaceAll(filler, ""))
