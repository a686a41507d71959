-- Mail that was sent is deleted after a while.

grant delete on mail to guildhall_app;
