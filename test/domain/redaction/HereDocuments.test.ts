/** Tests the secrets in here-documents, here-strings and pipes of shell commands. */
import * as Redaction from "#domain/redaction/Redaction"
import { assert, describe, it } from "@effect/vitest"
import { removes } from "./MarkedText.ts"

const finders = Redaction.makeFinders()

describe("a setting in a here-document", () =>
  removes({
    results: [
      `cat <<EOF > .env\nHOST=db\nPASSWORD=⟦correcthorse⟧\nPORT=1\nEOF`,
      `cat > .env <<'EOF'\nexport DB_PASSWORD='⟦correcthorse⟧'\nEOF`,
      `cat > .env <<\\EOF\nDB_PASS=⟦s3cr3t⟧\nAPI_KEY=⟦abcd⟧\nEOF`,
      `tee -a .env <<-"END" >/dev/null\n\tDB_PASSWORD=⟦Winter2024⟧\n\tEND`,
      `cat > .env <<EOF\nBITS=1<<4\nDB_PASSWORD=⟦correcthorse⟧\nEOF`,
      `run: |\n  cat << eof > .env\n  DB_PASSWORD=⟦correcthorse⟧\n  eof\n`,
      `cat > c.yml <<EOF\ndb:\n  password: ⟦s3cr3t⟧\n  user: bob\nEOF`,
      `cat > c.yml <<EOF\n- password: ⟦Winter2024⟧\nEOF`,
      `python3 - <<'PY'\nc = connect(user="bob", password="⟦correcthorse⟧")\nPY`,
      `mongosh <<EOF\ndb.createUser({user: "a", pwd: "⟦correcthorse⟧"})\nEOF`,
      `ssh a@b <<EOF\nexport DB_PASSWORD=⟦correcthorse⟧\n./run\nEOF`,
      String.raw`{"command":"cat <<EOF > .env\nDB_PASSWORD=⟦correcthorse⟧\nEOF"}`,
      String.raw`{"command":"cat <<EOF\r\nDB_PASSWORD=⟦correcthorse⟧\r\nEOF"}`,
      String.raw`{"a":"{\"command\":\"cat <<\\\"EOF\\\"\\nDB_PASSWORD=⟦correcthorse⟧\\nEOF\"}"}`
    ]
  }))

describe("code and templates in a here-document", () => {
  const kept: ReadonlyArray<string> = [
    `cat > .env.example <<EOF\nDB_PASSWORD=\nAPI_KEY=your-api-key\nEOF`,
    `cat > .env <<EOF\nDB_PASSWORD=$DB_PASSWORD\nAPI_KEY=$(cat key)\nEOF`,
    "cat > .env <<EOF\nDB_PASSWORD=${{ secrets.DB }}\nDB_PASSWORD=`pass db`\nEOF",
    `cat > c.yml <<EOF\n  password: {{ .Values.password }}\n  passwordFile: /run/db\nEOF`,
    `cat > user.ts <<EOF\ninterface User {\n  password: string\n  token: string\n}\nEOF`,
    `cat > user.ts <<EOF\nconst user = {\n  password: hashed,\n  apiKey: req.body.apiKey\n}\nEOF`,
    `cat > a.py <<EOF\npassword = user_input\npassword = getpass()\npassword = args.password\nEOF`,
    `cat > form.html <<EOF\n<input name="password" type="password" placeholder="Password">\nEOF`,
    `cat > en.json <<EOF\n{ "t": { label: "x", password: "Passwort" } }\nEOF`,
    `cat > keys.sql <<EOF\nPRIMARY_KEY=id\nSORT_KEY=name\nEOF`,
    `create user app password '$PASSWORD';`,
    `echo "root:x:0:0" | tee /opt/passwd`,
    `echo "hello" | sudo tee /opt/motd`,
    // not a here-document
    `x = 1 << BITS\nPASSWORD=correcthorse\n`,
    `cat <<EOF\nHOST=db\nEOF\nPASSWORD=correcthorse\n`,
    `PASSWORD=correcthorse\ncat <<EOF\nHOST=db\nEOF`,
    `std::cout << name << std::endl;\npassword = "correcthorse";\n`
  ]
  for (const text of kept)
    it(`4.15 is kept in results: ${JSON.stringify(text.slice(0, 80))}`, () =>
      assert.strictEqual(Redaction.redactSecrets(finders, text, false), text))
})

describe("the input of a command that reads a secret", () =>
  removes({
    results: [
      `sudo -S tee /etc/a <<EOF\n⟦correcthorse⟧\nport 1\nEOF`,
      `/usr/sbin/chpasswd <<EOF\nbob:⟦correcthorse\nann:other⟧\nEOF`
    ],
    everywhere: [
      `docker login -u bob --password-stdin <<< "⟦correcthorse⟧"`,
      `docker login --password-stdin x.example <<<⟦correcthorse⟧`,
      `docker login -u bob --password-stdin <<EOF\n⟦correcthorse⟧\nEOF`,
      `echo ⟦correcthorse⟧ | docker login -u bob --password-stdin`,
      `echo -n '⟦correct|horse⟧' | docker login -u bob --password-stdin`,
      `printf '%s\\n' "⟦correcthorse⟧" | gh auth login --with-token && ls`,
      `cat <<EOF | gh auth login --with-token\n⟦correcthorse⟧\nEOF\nls`,
      `echo ⟦correcthorse⟧ | sudo -S apt update`,
      `cd a; echo "⟦correcthorse⟧" | sudo -u bob -kS make`,
      `sudo -S -p "" ls <<< '⟦correcthorse⟧'`,
      `echo "bob:⟦correcthorse⟧" | chpasswd`,
      `passwd bob <<EOF\n⟦correcthorse\ncorrecthorse⟧\nEOF`,
      `gpg --batch --passphrase-fd 0 -c a <<< "⟦correcthorse⟧"`,
      `openssl rsa -passin stdin -in k <<< "⟦correcthorse⟧"`,
      String.raw`{"command":"chpasswd <<EOF\nbob:⟦correcthorse⟧\nEOF\nls"}`,
      String.raw`{"command":"echo \"⟦correcthorse⟧\" | sudo -S ls"}`
    ],
    kept: [
      `echo "$TOKEN" | docker login -u bob --password-stdin`,
      `echo $CR_PAT | docker login ghcr.io --password-stdin`,
      "echo ${{ secrets.TOKEN }} | docker login --password-stdin",
      `echo "$(cat token)" | gh auth login --with-token`,
      `gh auth login --with-token < token.txt`,
      `docker login --password-stdin < token.txt`,
      `cat token.txt | docker login --password-stdin`,
      `aws ecr get-login-password | docker login --password-stdin`,
      `docker login --password-stdin <<< "$TOKEN"`,
      `passwd bob <<EOF\n$TOKEN\n$TOKEN\nEOF`,
      `echo hello | grep passwd`,
      `sudo -S ls`,
      `echo y | sudo -S apt update`,
      `echo hello; ls | sudo -S wc`,
      `cat passwd <<EOF`
    ]
  }))

describe("a password in a statement of SQL", () =>
  removes({
    everywhere: [
      `psql <<SQL\nALTER USER app PASSWORD '⟦correcthorse⟧';\nSQL`,
      `psql -c "alter user app with encrypted password '⟦correcthorse⟧'"`,
      `create role app\n  login\n  password '⟦correcthorse⟧';`,
      `create user 'a'@'%' identified by '⟦correcthorse⟧';`,
      `grant all on *.* to 'a'@'%' identified by '⟦correcthorse⟧';`,
      `set password for 'a'@'%' = '⟦correcthorse⟧';`,
      `SET PASSWORD FOR a = PASSWORD('⟦correcthorse⟧');`,
      String.raw`{"sql":"begin;\nalter user app password '⟦correcthorse⟧';"}`
    ],
    kept: [
      `Rows are identified by 'order_id'.`,
      `alter user app with password 'changeme';`,
      `To create user accounts, open the page. The word password 'abcd' is shown.`
    ]
  }))
