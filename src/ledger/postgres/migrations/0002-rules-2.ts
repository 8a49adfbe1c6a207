// Rules 2. The rules in force stand in the head; every batch is signed with the rules of who wrote it, in a column that a
// lane of before does not fill: it can write no more from here on. A cluster is stopped, not rolled, over this step.
export const rules2 = `
  ALTER TABLE head ADD COLUMN rules text NOT NULL DEFAULT '1';
  ALTER TABLE head ALTER COLUMN rules DROP DEFAULT;
  ALTER TABLE writers ADD COLUMN rules text NOT NULL DEFAULT '1';
  ALTER TABLE writers ALTER COLUMN rules DROP DEFAULT;
`
