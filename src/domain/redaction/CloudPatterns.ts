/** Lists patterns of tokens, session keys and signed addresses of cloud providers, in addition to those of gitleaks. */
import { begins, type SecretPattern, token, within } from "./SecretPattern.ts"

/** The parts of a signed address that grant access, in lower case. */
const signatures = [
  "signature",
  "sig",
  "x-amz-signature",
  "x-amz-security-token",
  "x-amz-credential",
  "x-goog-signature",
  "x-goog-credential",
  "x-oss-signature",
  "x-oss-security-token",
  "x-tos-signature",
  "x-cos-security-token",
  "x-obs-security-token",
  "q-signature",
  "security-token",
  "awsaccesskeyid",
  "googleaccessid",
  "key-pair-id",
  "hmac",
  "hdnea",
  "hdntl",
  "__token__"
]

/** The Base64 prefixes of Discord bot ids that begin with 1, 2, 3, 6 or 7. */
const discordIds = [..."aeimquycgk"]
  .flatMap((letter) => ["mt", "mj", "mz", "nj", "nz"].map((start) => start + letter))
  .join(" | ")

/** The patterns of cloud providers. */
export const clouds: ReadonlyArray<SecretPattern> = [
  // AWS
  begins(
    "aws-session-token",
    "iqojb3jpz2lu | fwogzxivyxdz | fqogzxivyxdz",
    3.5,
    "(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz)[A-Za-z0-9+/%]{60,2000}={0,2}"
  ),
  within("aws-sigv4", "signature=", 2.5, String.raw`(?<![\w&?-])[sS]ignature=([0-9a-f]{64})(?![0-9a-f])`),
  begins("aws-mws-key", "amzn.mws.", 0, String.raw`amzn\.mws\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`),
  // Google
  token("gcp-hmac-key", "goog1", 3, "GOOG1[A-Z0-9]{20,61}"),
  begins("google-refresh-token", "1//0", 3.5, String.raw`1\/\/0[\w-]{30,250}`),
  within("google-authorization-code", "4/0a", 3.5, String.raw`(?<![\w/.])4\/0A[\w-]{40,250}`),
  // Azure
  within(
    "azure-shared-access-signature",
    "sharedaccesssignature",
    3,
    String.raw`[sS]hared[aA]ccess[sS]ignature[ =]{1,3}[^\s;"']{0,400}?[sS]ig=([\w%+/=]{20,200})`
  ),
  within(
    "azure-devops-token",
    "devops | azp_token | vsts | personal access token | personal_access_token",
    3.5,
    String.raw`(?:[dD]ev[oO]ps|DEVOPS|AZP_TOKEN|[vV][sS][tT][sS]|[pP]ersonal[ _][aA]ccess[ _][tT]oken|PERSONAL_ACCESS_TOKEN)[\w .-]{0,30}[\s'"\\]{0,4}[=:]?[\s'"\\]{0,4}([a-z2-7]{52})(?![\w-])`
  ),
  {
    ...within(
      "azure-devops-token-after-pat",
      "pat",
      3.5,
      String.raw`\b[pP][aA][tT]\b[\s:='"]{1,5}([a-z2-7]{52})(?![\w-])`
    ),
    onlyFailures: true
  },
  // Alibaba, Tencent
  token("alibaba-sts-id", "sts.n", 3, String.raw`STS\.N[\w]{15,60}`),
  token("tencent-secret-id", "akid", 3.5, "AKID(?=[A-Za-z0-9]{0,40}[a-z])[A-Za-z0-9]{28,60}"),
  // Cloudflare, Docker, Supabase, Notion, Discord
  token("cloudflare-token", "cfut_ | cfat_ | cfk_", 3, String.raw`cf(?:ut|at|k)_[A-Za-z0-9]{40,60}`),
  token("docker-token", "dckr_pat_ | dckr_oat_", 3, String.raw`dckr_[po]at_[\w-]{20,60}`),
  token("supabase-token", "sbp_ | sb_secret_", 3, String.raw`(?:sbp_(?:v\d_)?[a-f0-9]{40}|sb_secret_[\w-]{20,80})`),
  token("notion-secret", "secret_", 3.5, String.raw`secret_(?=[A-Za-z0-9]{0,43}\d)[A-Za-z0-9]{43}`),
  token("discord-bot-token", discordIds, 3.5, String.raw`[MN][jzT][A-Za-z0-9_-]{21,28}\.[\w-]{6,7}\.[\w-]{27,40}`),
  within(
    "discord-bot-token-after-bot",
    "bot ",
    3.5,
    String.raw`[bB]ot[ \t]{1,3}([\w-]{23,30}\.[\w-]{6,7}\.[\w-]{27,40})`
  ),
  // Signed addresses. They are kept in results, because a model needs them to open the addresses.
  {
    ...within(
      "signature",
      signatures.map((name) => `${name}=`).join(" | "),
      2.5,
      String.raw`(?:${signatures.join("|")})=([\w%+/=~.-]{16,2000})`
    ),
    ignoresCase: true,
    onlyFailures: true
  },
  {
    ...within(
      "escaped-signature",
      signatures.map((name) => `${name}%3d`).join(" | "),
      2.5,
      String.raw`(?:${signatures.join("|")})%3d((?:[\w+/=~.-]|%(?!26)){16,2000})`
    ),
    ignoresCase: true,
    onlyFailures: true
  },
  {
    ...within(
      "oracle-request-url",
      "oraclecloud.com/p/",
      3,
      String.raw`[oO]racle[cC]loud\.com\/p\/([\w-]{20,200})\/n\/`
    ),
    onlyFailures: true
  },
  {
    ...within(
      "authorization-code",
      "?code= | &code=",
      3.5,
      String.raw`[?&]code=((?=[\w%+/=~.-]{0,200}[a-z])(?=[\w%+/=~.-]{0,200}[A-Z])(?=[\w%+/=~.-]{0,200}\d)[\w%+/=~.-]{16,2000})`
    ),
    onlyFailures: true
  }
]
