"""Two hundred tools of an agent, and fifty requests with the tool that each needs, all written for this.

A tool is a line `name | description | parameter, parameter`. The requests are put as people put them, mostly without the words of the tool.
"""

from __future__ import annotations

from typing import Any

_TOOLS = """
read_file | Return the contents of a file as text | path, encoding
write_file | Create a file or overwrite its contents | path, content
append_file | Add text to the end of an existing file | path, content
delete_file | Remove a file permanently | path
move_file | Rename a file or move it to another directory | source, destination
copy_file | Duplicate a file | source, destination
list_directory | List files and subdirectories of a directory | path, recursive
search_files | Find files whose name matches a pattern | pattern, root
grep_files | Find lines in files that match a regular expression | expression, path
file_metadata | Size, owner and modification time of a file | path
compress_files | Pack files into a zip archive | paths, archive
extract_archive | Unpack a zip or tar archive | archive, destination
run_command | Execute a shell command and return its output | command, timeout
list_processes | Show running processes with CPU and memory usage | sort_by
kill_process | Terminate a running process | pid, signal
disk_usage | Show free and used space of mounted volumes | volume
schedule_job | Run a command at a given time or repeatedly | command, cron
git_status | Show uncommitted changes of the working tree | repository
git_diff | Show the differences between two revisions | from, to
git_commit | Record staged changes with a message | message, author
git_blame | Show who last changed each line of a file | path
git_create_branch | Start a new branch from a revision | name, start_point
git_merge | Merge one branch into another | source, target
git_revert | Undo a commit by a new commit | revision
create_pull_request | Open a pull request for review | title, base, head
review_pull_request | Submit comments and an approval or rejection | number, verdict
create_issue | File a bug report or feature request in the tracker | title, body, labels
close_issue | Mark an issue as done | number
assign_issue | Make somebody responsible for an issue | number, assignee
run_tests | Execute the test suite and report failures | path, filter
lint_code | Check source code for style violations | path
format_code | Rewrite source code in the standard layout | path
build_project | Compile the project | target, configuration
deploy_service | Roll out a version of a service to an environment | service, version, environment
rollback_deployment | Return a service to its previous version | service
scale_service | Change the number of running replicas | service, replicas
restart_service | Stop and start a service | service
get_logs | Fetch log lines of a service | service, since, level
get_metrics | Query time series such as latency or error rate | metric, range
create_alert | Notify when a metric crosses a threshold | metric, threshold, channel
list_incidents | List open and recent outages | severity
page_on_call | Wake the engineer on duty | team, message
create_vm | Start a virtual machine | size, region, image
delete_vm | Destroy a virtual machine | id
upload_object | Put a file into object storage | bucket, key
presign_url | Make a temporary link to a stored object | bucket, key, expires
create_dns_record | Add an entry to a DNS zone | zone, name, type, value
renew_certificate | Renew the TLS certificate of a domain | domain
rotate_secret | Replace a password or key in the vault | name
get_secret | Read a credential from the vault | name
sql_query | Run a read-only SQL statement | statement, database
describe_table | Show columns and types of a table | table
insert_rows | Add rows to a table | table, rows
update_rows | Change rows that match a condition | table, condition, values
delete_rows | Remove rows that match a condition | table, condition
create_backup | Save a copy of a database | database
restore_backup | Load a database from a saved copy | database, backup
explain_query | Show the plan by which a statement is executed | statement
send_email | Send an email with optional attachments | to, subject, body, attachments
search_email | Find messages in the mailbox | query, from, since
reply_email | Answer a message to its sender | message, body
forward_email | Pass a message on to other recipients | message, to
archive_email | Move messages out of the inbox | messages
mark_spam | Report messages as junk | messages
create_mail_filter | Sort incoming mail automatically by a rule | condition, action
unsubscribe | Leave a mailing list | sender
send_sms | Send a text message to a phone number | number, text
make_call | Dial a phone number | number
post_chat_message | Write into a channel of the team chat | channel, text
create_channel | Open a new channel in the team chat | name, members
set_status | Show colleagues whether you are available | status, until
create_event | Put an appointment into the calendar | title, start, end, attendees
list_events | Show appointments of a period | start, end
update_event | Change time, place or guests of an appointment | event, changes
cancel_event | Delete an appointment and tell the guests | event
find_free_slot | Find a time at which all participants are available | participants, duration
accept_invitation | Confirm attendance of a meeting | event
book_room | Reserve a conference room | room, start, end
start_video_call | Open a video conference and return its link | participants
record_meeting | Record and transcribe a conference | meeting
create_task | Add an item to the to-do list | title, due
complete_task | Tick off an item of the to-do list | task
list_tasks | Show open items of the to-do list | project
set_reminder | Get a notification at a given time | text, time
create_note | Write down a note | title, text
search_notes | Find notes by their content | query
start_timer | Count down a duration | duration
set_alarm | Ring at a time of day | time, days
add_contact | Save a person's address and phone number | name, phone, email
find_contact | Look up how to reach a person | name
get_weather | Forecast of temperature and rain for a place | place, day
get_air_quality | Concentration of fine dust and ozone | place
get_sunrise | Times of sunrise and sunset | place, date
geocode | Coordinates of a postal address | address
reverse_geocode | Address at given coordinates | latitude, longitude
get_directions | Route between two places by car, foot or public transport | from, to, mode
get_traffic | Congestion on a route | route
find_nearby_places | Restaurants, pharmacies and shops around a location | category, location
get_distance | Length of the way between two places | from, to
search_flights | Find air connections with prices | from, to, date
book_flight | Buy a plane ticket | flight, passenger
check_in_flight | Get a boarding pass | booking
flight_status | Delays and gates of a flight | number
search_hotels | Find accommodation with prices | place, arrival, departure
book_hotel | Reserve a room for the night | hotel, arrival, departure
search_trains | Railway timetable and fares | from, to, time
rent_car | Hire a vehicle | place, from, to
order_taxi | Have a cab come to a place | pickup, destination
convert_currency | Exchange an amount into another currency | amount, from, to
get_portfolio | Holdings and their value | account
place_order | Buy or sell securities | symbol, quantity, side
get_account_balance | Money available in a bank account | account
list_transactions | Bookings of a bank account | account, since
transfer_money | Pay an amount to another account | iban, amount, purpose
create_invoice | Bill a customer for goods or services | customer, items
send_payment_reminder | Dun a customer whose bill is overdue | invoice
record_expense | Enter a cost with its receipt | amount, category, receipt
approve_expense | Release an employee's claim for reimbursement | claim
get_budget_report | Compare planned and actual spending | department, year
calculate_tax | Work out value added or income tax | amount, country
refund_payment | Give a customer the money back | payment
create_subscription | Charge a customer regularly | customer, plan
cancel_subscription | End recurring charges of a customer | subscription
issue_gift_card | Make a voucher of some value | value
search_customers | Find customers in the CRM | query
create_lead | Enter a prospective buyer into the CRM | name, company
update_deal | Change stage or value of a sales opportunity | deal, stage
log_call | Note what was said on the phone with a customer | customer, summary
create_ticket | Open a support case for a customer | customer, problem
escalate_ticket | Hand a support case to the next level | ticket
merge_tickets | Join support cases about the same problem | tickets
search_knowledge_base | Find help articles | query
send_survey | Ask customers how satisfied they are | customers
search_products | Find articles in the catalogue | query, category
get_product | Price and description of an article | sku
update_price | Change what an article costs | sku, price
check_stock | How many pieces are in the warehouse | sku
reorder_stock | Order articles from the supplier | sku, quantity
create_order | Place a purchase for a customer | customer, items
track_shipment | Where a parcel is | tracking_number
create_shipping_label | Print the address slip of a parcel | order
process_return | Take back goods from a customer | order
apply_discount | Reduce the price of an order by a coupon | order, code
add_to_cart | Put an article into the shopping basket | sku, quantity
write_review | Publish an opinion on an article | sku, stars, text
request_leave | Apply for vacation days | from, to
approve_leave | Grant an employee's vacation | request
get_leave_balance | How many vacation days are left | employee
report_sick | Announce absence because of illness | from, to
log_hours | Enter working time on a project | project, hours
get_payslip | Salary statement of a month | month
search_employees | Find colleagues by name, team or skill | query
get_org_chart | Who reports to whom | team
create_job_posting | Advertise a vacancy | title, description
schedule_interview | Fix a conversation with an applicant | candidate, time
rate_candidate | Record the impression of an applicant | candidate, score
enroll_training | Sign up for a course | course
translate_text | Put a text into another language | text, target
detect_language | Which language a text is written in | text
summarize_text | Shorten a text to its main points | text, length
check_grammar | Correct spelling and grammar | text
extract_entities | Find names of people, places and companies in a text | text
classify_sentiment | Whether a text is positive or negative | text
transcribe_audio | Turn a recording into text | file
synthesize_speech | Read a text aloud | text, voice
generate_image | Draw a picture from a description | prompt, size
resize_image | Change width and height of a picture | image, width, height
crop_image | Cut out a part of a picture | image, box
remove_background | Make what is behind the subject transparent | image
recognize_text | Read printed letters from a scan | image
create_chart | Plot numbers as bars or lines | data, type
convert_document | Change the format of a document, such as Word to PDF | file, format
merge_pdfs | Join several PDF files | files
fill_form | Enter values into the fields of a PDF form | file, values
sign_document | Add an electronic signature | file, signer
create_presentation | Make slides from an outline | outline
create_spreadsheet | Make a table file with columns | name, columns
evaluate_formula | Compute the result of a mathematical expression | expression
convert_units | Change metres to feet, kilograms to pounds and so on | value, from, to
solve_equation | Find the unknowns of an equation | equation
web_search | Look something up on the internet | query
fetch_url | Download a web page | url
take_screenshot | Capture how a web page looks | url
get_news | Headlines of the day | topic
play_music | Play a song, album or playlist | title
pause_music | Stop the sound for a moment | device
set_volume | Make the sound louder or softer | level
turn_on_light | Switch a lamp on or off | room, state
set_thermostat | Change the heating temperature of a room | room, degrees
lock_door | Lock or unlock an entrance | door
show_camera | Picture of a surveillance camera | camera
start_vacuum | Have the robot clean the floor | rooms
water_plants | Open the valve of the irrigation | zone, minutes
log_workout | Enter a training session | type, duration
get_heart_rate | Pulse measured by the watch | since
book_doctor | Make an appointment with a physician | specialty, date
refill_prescription | Order a medicine again | medicine
find_recipe | Dishes that can be cooked from ingredients | ingredients
reserve_table | Book seats in a restaurant | restaurant, time, people
order_food | Have a meal delivered | restaurant, dishes
"""

_REQUESTS = """
What's inside config.toml? | read_file
Get rid of the old draft.docx for good | delete_file
Put all these photos into one zip | compress_files
Which of the sources mention the word deprecated? | grep_files
Is the hard drive nearly full? | disk_usage
The script hangs, please stop it | kill_process
Who wrote line 40 of parser.py? | git_blame
What have I changed since my last commit? | git_status
The last commit broke everything, undo it | git_revert
Ask the team to review my branch | create_pull_request
Does the code still pass its tests? | run_tests
Bring version 2.3 of the shop to production | deploy_service
The new release is broken, go back to the one before | rollback_deployment
We need ten copies of the API running tonight | scale_service
Tell me when the error rate goes above two percent | create_alert
Give Ann a link to the stored video that works until tomorrow | presign_url
The HTTPS certificate of our site expires on Friday | renew_certificate
What columns does the orders table have? | describe_table
Why is this SELECT so slow? | explain_query
Mail the contract to the lawyer | send_email
Stop these newsletters from coming | unsubscribe
Text my brother that I am late | send_sms
When could Ann, Bob and I all meet for an hour? | find_free_slot
We need a place for twelve people to meet on Monday | book_room
Don't let me forget to call the dentist at four | set_reminder
Wake me at six every weekday | set_alarm
Will I need an umbrella in Bergen tomorrow? | get_weather
How do I get from the station to the museum by bus? | get_directions
Is there a chemist's around here? | find_nearby_places
Cheapest way to fly from Oslo to Rome in May | search_flights
Is LH 400 late? | flight_status
I need a bed in Lisbon for three nights | search_hotels
How much is 200 dollars in euros? | convert_currency
What's my bank balance? | get_account_balance
Pay the landlord 900 euros | transfer_money
The customer has not paid since March, remind them | send_payment_reminder
Give Mr Hill his money back | refund_payment
Where is my parcel? | track_shipment
Are there any blue kettles left in the warehouse? | check_stock
I'm ill and won't come to work today | report_sick
How many days off do I still have? | get_leave_balance
Say this in Japanese | translate_text
Give me the gist of this report | summarize_text
Read the text on this scanned receipt | recognize_text
Turn the interview recording into written text | transcribe_audio
I want the letter as a PDF instead of Word | convert_document
How many feet are 12 metres? | convert_units
It's too cold in the bedroom | set_thermostat
I have eggs, rice and leeks: what can I cook? | find_recipe
Get us a table for four at Luigi's on Saturday | reserve_table
"""


def tools() -> list[dict[str, Any]]:
    """The definitions, a third each as OpenAI, Anthropic and MCP write them."""
    return [_definition(number, line) for number, line in enumerate(_lines(_TOOLS))]


def requests() -> list[tuple[str, str]]:
    """Requests, each with the name of the tool that it needs."""
    pairs = (line.rsplit(" | ", 1) for line in _lines(_REQUESTS))
    return [(request, name) for request, name in pairs]


def _lines(text: str) -> list[str]:
    return text.strip().splitlines()


def _definition(number: int, line: str) -> dict[str, Any]:
    name, description, given = line.split(" | ")
    properties = {one: {"type": "string"} for one in given.split(", ")}
    schema = {"type": "object", "properties": properties}
    if number % 3 == 1:
        return {"name": name, "description": description, "input_schema": schema}
    if number % 3 == 2:
        return {"name": name, "description": description, "inputSchema": schema}
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}
