function timeLine(){}
