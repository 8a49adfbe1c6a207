// The assertions by which passkeys confirmed replies.
export const evidence = `
  CREATE TABLE evidence (reply_id text PRIMARY KEY, evidence text NOT NULL);
`
