/** Lists token patterns in addition to those of gitleaks: more tokens, and wider forms of its patterns. */
import { around, begins, type SecretPattern, token, within } from "./SecretPattern.ts"

/** The additional token patterns. */
export const tokens: ReadonlyArray<SecretPattern> = [
  begins("sk-token", "sk-", 3, String.raw`sk-(?=[\w-]{0,100}\d)[A-Za-z][\w-]{19,250}`),
  begins("sk-token-digit", "sk-", 3, String.raw`sk-\d[\w-]{19,250}`),
  begins(
    "slack-webhook-url",
    "hooks.slack.com",
    0,
    String.raw`hooks\.slack\.com\/(?:services|workflows|triggers)\/([\w+/]{20,80})`
  ),
  within(
    "discord-webhook-url",
    "/api/webhooks/",
    0,
    String.raw`(?<=\bdiscord(?:app)?\.com)\/api\/webhooks\/\d{10,25}\/([\w-]{30,100})`
  ),
  token("airtable-personal-access-token", "pat", 3, String.raw`pat[a-zA-Z0-9]{14}\.[a-f0-9]{64}`),
  token("facebook-access-token", "eaa", 4, String.raw`EAA[A-Za-z][a-zA-Z0-9]{100,300}`),
  token("google-oauth-token", "ya29.", 3, String.raw`ya29\.[\w-]{20,1000}`),
  token("google-oauth-secret", "gocspx-", 3, String.raw`GOCSPX-[\w-]{20,40}`),
  token("stripe-webhook-secret", "whsec_", 2, String.raw`whsec_[a-zA-Z0-9+/]{24,100}={0,2}`),
  token("toolguard-approver-token", "tga_", 2, String.raw`tga_[0-9a-f]{32}`),
  token("github-token", "gho_ | ghp_ | ghr_ | ghs_ | ghu_", 3, String.raw`gh[oprsu]_\w{30,255}`),
  token("groq-token", "gsk_", 3, String.raw`gsk_[a-zA-Z0-9]{40,60}`),
  token("xai-token", "xai-", 3, String.raw`xai-[a-zA-Z0-9]{60,100}`),
  token("replicate-token", "r8_", 3, String.raw`r8_[a-zA-Z0-9]{37}`),
  // a JWT has three parts, a JWE five, the second of which may be empty
  token(
    "jwt-short",
    "eyj",
    3,
    String.raw`ey[Jj][\w-]{10,2000}\.(?:[\w-]{6,2000}\.[\w-]{10,2000}(?:\.[\w-]{2,2000}\.[\w-]{16,60})?|\.[\w-]{10,60}\.[\w-]{2,2000}\.[\w-]{16,60})`
  ),
  around("telegram-bot-token", ":aa", 3, 12, String.raw`(?<!\d)\d{8,11}:AA[\w-]{33}(?![\w-])`),
  {
    ...within(
      "generic-api-key",
      "access | api | auth | key | creds",
      3.5,
      String.raw`(?:[aA]ccess|ACCESS|[aA]uth|AUTH|[aA]pi|API|[cC]reds|CREDS|[kK]ey|KEY)[ \t\w.-]{0,20}[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\s'"=${"`"}]{0,5}((?=[\w.=+/-]*\d)(?:[\w.=-]{10,150}|[a-zA-Z0-9][a-zA-Z0-9+/]{11,150}={0,3}))(?![\w./-])`
    ),
    onlyFailures: true
  }
]
