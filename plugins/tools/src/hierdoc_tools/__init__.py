"""What servers over an index share, whatever protocol they speak.

tools.py      what the calls are named, take and do, each within its limits
arguments.py  what they take
answers.py    what they do
replies.py    what they reply, as data and as text
sections.py   sections as hits make them up
corpus.py     the index that they read, and its ingest beside them
limits.py     how much a call may ask for, and how often
access.py     who may call: tokens, hosts, sizes of requests
options.py    what the command lines of servers share
"""
