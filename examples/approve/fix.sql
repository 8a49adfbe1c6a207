UPDATE invoices
   SET status = 'void', voided_by = 'support'
 WHERE customer_id = 20417
   AND status = 'open'
   AND due_at < '2026-01-01';
