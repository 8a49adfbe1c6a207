// The step that gives everybody an inbox. It is made from the stories as they stand: those asked at the opening, those whom a
// ladder has added, and those to whom a request was handed on.
export const inboxTable = `
  -- Whose a request is: over_seq is null while it waits for them, else where it was settled or handed on.
  CREATE TABLE inbox (
    opened_seq INTEGER NOT NULL, user_id TEXT NOT NULL, deadline_ms INTEGER NOT NULL, type TEXT NOT NULL,
    urgency TEXT NOT NULL, over_seq INTEGER, PRIMARY KEY (opened_seq, user_id)
  ) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO inbox (opened_seq, user_id, deadline_ms, type, urgency)
    SELECT q.opened_seq, r.value ->> 'user_id',
      CAST(round(1000 * unixepoch(e.line ->> '$.body.deadline_at', 'subsec')) AS INTEGER), q.type,
      coalesce(e.line ->> '$.body.terms.urgency', 'normal')
    FROM requests q JOIN entries e ON e.seq = q.opened_seq, json_each(e.line, '$.body.recipients') r;
  INSERT OR IGNORE INTO inbox (opened_seq, user_id, deadline_ms, type, urgency)
    SELECT i.opened_seq, r.value, i.deadline_ms, i.type, i.urgency
    FROM entries e JOIN inbox i ON i.opened_seq = e.story, json_each(e.line, '$.body.to') r
    WHERE e.type = 'REQUEST_DELEGATED' OR (e.type = 'REQUEST_ESCALATED' AND e.line ->> '$.body.do' = 'add');
  UPDATE inbox SET over_seq = coalesce(
    (SELECT CASE WHEN e.line ->> '$.body.from' = inbox.user_id THEN e.seq END FROM entries e
      WHERE e.story = inbox.opened_seq AND e.type = 'REQUEST_DELEGATED'
        AND inbox.user_id IN (e.line ->> '$.body.from', e.line ->> '$.body.to') ORDER BY e.seq DESC LIMIT 1),
    (SELECT resolved_seq FROM requests q WHERE q.opened_seq = inbox.opened_seq));
  CREATE INDEX inbox_waiting ON inbox (user_id, deadline_ms, opened_seq) WHERE over_seq IS NULL;
  CREATE INDEX inbox_past ON inbox (user_id, over_seq) WHERE over_seq IS NOT NULL;
`
