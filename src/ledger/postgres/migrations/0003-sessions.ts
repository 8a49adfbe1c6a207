// Who has signed in at the console.
export const sessions = `
  CREATE TABLE sessions (
    id_hash text PRIMARY KEY, kind text NOT NULL, whose text NOT NULL, by text NOT NULL, until_ms bigint NOT NULL, seal text
  );
  CREATE INDEX sessions_by_person ON sessions (whose) WHERE kind = 'person';
  CREATE INDEX sessions_by_end ON sessions (until_ms);
`
