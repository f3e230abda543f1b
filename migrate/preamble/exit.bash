
skillhand_exit() {
	skillhand_status=$? skillhand_why=''
@SIGNAL@@OWN@	skillhand_report "$skillhand_status" "$skillhand_why"
}
