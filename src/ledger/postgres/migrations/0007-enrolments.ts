// What waits to become a person's.
export const enrolments = `
  CREATE TABLE enrolments (
    request_id text PRIMARY KEY, user_id text NOT NULL, claim text NOT NULL, seal text
  );
`
