"""The allow-list of units: every unit that converts, its factor, and every spelling that means it.

Data only. A unit that is not here is compared by name and never converted, so no unit text is ever evaluated.
Factors are exact fractions into the first unit of a dimension; `tests/numbers/test_units.py` holds them against pint.
"""

from __future__ import annotations

DIMENSIONLESS = "number"
"""Dimension of what a bare number has, too: a percentage is its fraction."""

RATIOS = (
    ("fraction", "1", "fraction|fractions|ratio|小数"),
    ("%", "1/100", "%|percent|percents|per cent|pct|percentage|百分比"),
    ("pp", "1/100", "pp|ppt|ppts|percentage point|percentage points|个百分点|百分点"),
    ("‰", "1/1000", "‰|permille|per mille|per mil"),
    ("bp", "1/10000", "bp|bps|basis point|basis points|个基点|基点"),
)
"""Name, factor, spellings."""

MAGNITUDES = {
    "hundred": 2,
    "thousand": 3,
    "thousands": 3,
    "k": 3,
    "million": 6,
    "millions": 6,
    "mn": 6,
    "mln": 6,
    "mio": 6,
    "M": 6,
    "billion": 9,
    "billions": 9,
    "bn": 9,
    "bln": 9,
    "b": 9,
    "B": 9,
    "trillion": 12,
    "trillions": 12,
    "tn": 12,
    "trn": 12,
}
"""Power of ten by word. `m` and `K` stand apart: alone they are metre and kelvin (see `units.split_magnitude`)."""

HAN_DIGIT_POWERS = {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8}
"""Chinese magnitudes; a run of them multiplies (千万 is 10^7, 万亿 is 10^12). 兆 is absent: it is 10^6 or 10^12."""

MAGNITUDE_NAMES = {2: "hundred", 3: "thousand", 4: "万", 6: "million", 8: "亿", 9: "billion", 12: "trillion"}

CURRENCIES = {
    "$": "$|dollar|dollars|buck|bucks",
    "USD": "USD|US$|U.S.$|US dollar|US dollars|U.S. dollar|U.S. dollars|美元|美金",
    "EUR": "EUR|€|euro|euros|欧元",
    "GBP": "GBP|£|pound sterling|pounds sterling|英镑",
    "¥": "¥",
    "CNY": "CNY|RMB|CN¥|yuan|renminbi|元|圆|块|块钱|元人民币|人民币",
    "JPY": "JPY|JP¥|yen|円|日元|日圆",
    "HKD": "HKD|HK$|港元|港币",
    "TWD": "TWD|NT$|新台币",
    "AUD": "AUD|A$|AU$|澳元",
    "CAD": "CAD|C$|CA$|加元",
    "NZD": "NZD|NZ$",
    "SGD": "SGD|S$|新加坡元",
    "CHF": "CHF|Swiss franc|Swiss francs|瑞士法郎",
    "INR": "INR|₹|Rs|rupee|rupees|卢比",
    "KRW": "KRW|₩|won|韩元",
    "RUB": "RUB|₽|ruble|rubles|卢布",
    "BRL": "BRL|R$",
    "MXN": "MXN|MX$",
    "SEK": "SEK",
    "NOK": "NOK",
    "DKK": "DKK",
    "ZAR": "ZAR",
    "TRY": "TRY|₺",
    "THB": "THB|฿|泰铢",
    "VND": "VND|₫",
    "ILS": "ILS|₪",
}
"""Spellings by name. Currencies never convert into each other."""

SHARED_SYMBOLS = {
    "$": frozenset({"USD", "HKD", "TWD", "AUD", "CAD", "NZD", "SGD", "MXN"}),
    "¥": frozenset({"CNY", "JPY"}),
}
"""A symbol that several currencies share agrees with each of them."""

PHYSICAL = {
    "length": (
        ("m", "1", "m|metre|metres|meter|meters|米|公尺"),
        ("km", "1000", "km|kms|kilometre|kilometres|kilometer|kilometers|公里|千米"),
        ("cm", "1/100", "cm|centimetre|centimetres|centimeter|centimeters|厘米|公分"),
        ("mm", "1/1000", "mm|millimetre|millimetres|millimeter|millimeters|毫米"),
        ("μm", "1/1000000", "μm|um|micrometre|micrometres|micrometer|micrometers|micron|microns|微米"),
        ("nm", "1/1000000000", "nm|nanometre|nanometres|nanometer|nanometers|纳米"),
        ("mi", "1609344/1000", "mi|mile|miles|英里"),
        ("nmi", "1852", "nmi|nautical mile|nautical miles|海里"),
        ("yd", "9144/10000", "yd|yds|yard|yards"),
        ("ft", "3048/10000", "ft|foot|feet|英尺"),
        ("in", "254/10000", "in|inch|inches|英寸"),
    ),
    "mass": (
        ("kg", "1", "kg|kgs|kilo|kilos|kilogram|kilograms|kilogramme|kilogrammes|千克|公斤"),
        ("g", "1/1000", "g|gram|grams|gramme|grammes|克"),
        ("mg", "1/1000000", "mg|milligram|milligrams|毫克"),
        ("μg", "1/1000000000", "μg|ug|mcg|microgram|micrograms|微克"),
        ("t", "1000", "t|tonne|tonnes|metric ton|metric tons|吨|公吨"),
        ("short ton", "90718474/100000", "short ton|short tons"),
        ("lb", "45359237/100000000", "lb|lbs|pound|pounds|磅"),
        ("oz", "45359237/1600000000", "oz|ounce|ounces|盎司"),
        ("斤", "1/2", "斤|市斤"),
    ),
    "time": (
        ("s", "1", "s|sec|secs|second|seconds|秒|秒钟"),
        ("ms", "1/1000", "ms|msec|millisecond|milliseconds|毫秒"),
        ("μs", "1/1000000", "μs|usec|microsecond|microseconds|微秒"),
        ("ns", "1/1000000000", "ns|nanosecond|nanoseconds|纳秒"),
        ("min", "60", "min|mins|minute|minutes|分钟"),
        ("h", "3600", "h|hr|hrs|hour|hours|小时|个小时"),
        ("day", "86400", "day|days|天"),
        ("week", "604800", "week|weeks|wk|wks|周|星期"),
    ),
    # A month has no fixed number of days, so months and years convert into each other only.
    "calendar": (
        ("month", "1", "month|months|mo|mos|月|个月"),
        ("quarter", "3", "quarter|quarters|季度|个季度"),
        ("year", "12", "year|years|yr|yrs|年"),
        ("decade", "120", "decade|decades"),
    ),
    "area": (
        ("m^2", "1", "m^2|m2|sqm|sq m|square metre|square metres|square meter|square meters|平方米|平米"),
        (
            "km^2",
            "1000000",
            "km^2|km2|sq km|square kilometre|square kilometres|square kilometer|square kilometers|平方公里",
        ),
        ("cm^2", "1/10000", "cm^2|cm2|sq cm|square centimetre|square centimetres|square centimeters|平方厘米"),
        ("mm^2", "1/1000000", "mm^2|mm2|square millimetres|square millimeters|平方毫米"),
        ("ha", "10000", "ha|hectare|hectares|公顷"),
        ("acre", "40468564224/10000000", "acre|acres|英亩"),
        ("ft^2", "9290304/100000000", "ft^2|ft2|sqft|sq ft|square foot|square feet|平方英尺"),
        ("mi^2", "2589988110336/1000000", "mi^2|mi2|sq mi|square mile|square miles|平方英里"),
        ("亩", "2000/3", "亩"),
    ),
    "volume": (
        ("m^3", "1", "m^3|m3|cubic metre|cubic metres|cubic meter|cubic meters|立方米"),
        ("L", "1/1000", "L|l|litre|litres|liter|liters|升|公升"),
        ("mL", "1/1000000", "mL|ml|millilitre|millilitres|milliliter|milliliters|毫升"),
        ("cm^3", "1/1000000", "cm^3|cm3|cc|cubic centimetre|cubic centimetres|cubic centimeters|立方厘米"),
        ("ft^3", "28316846592/1000000000000", "ft^3|ft3|cubic foot|cubic feet|立方英尺"),
        ("gal", "3785411784/1000000000000", "gal|gallon|gallons|加仑"),
        ("bbl", "158987294928/1000000000000", "bbl|barrel|barrels|桶"),
    ),
    "length/time": (
        ("mph", "44704/100000", "mph|mile per hour|miles per hour"),
        ("kn", "1852/3600", "kn|knot|knots"),
        ("kph", "1000/3600", "kph|kmh|kmph"),
    ),
    "data": (
        ("byte", "1", "byte|bytes|字节"),
        ("bit", "1/8", "bit|bits|比特"),
        ("kB", "1000", "kB|KB|kilobyte|kilobytes"),
        ("MB", "1000000", "MB|megabyte|megabytes"),
        ("GB", "1000000000", "GB|gigabyte|gigabytes"),
        ("TB", "1000000000000", "TB|terabyte|terabytes"),
        ("KiB", "1024", "KiB|kibibyte|kibibytes"),
        ("MiB", "1048576", "MiB|mebibyte|mebibytes"),
        ("GiB", "1073741824", "GiB|gibibyte|gibibytes"),
        ("TiB", "1099511627776", "TiB|tebibyte|tebibytes"),
        ("Mbit", "125000", "Mbit|megabit|megabits"),
        ("Gbit", "125000000", "Gbit|gigabit|gigabits"),
    ),
    "data/time": (
        ("kbps", "125", "kbps"),
        ("Mbps", "125000", "Mbps"),
        ("Gbps", "125000000", "Gbps"),
    ),
    "energy": (
        ("J", "1", "J|joule|joules|焦耳|焦"),
        ("kJ", "1000", "kJ|kilojoule|kilojoules|千焦"),
        ("MJ", "1000000", "MJ|megajoule|megajoules|兆焦"),
        ("cal", "4184/1000", "cal|calorie|calories|卡路里"),
        ("kcal", "4184", "kcal|kilocalorie|kilocalories|千卡|大卡"),
        ("Wh", "3600", "Wh|watt hour|watt hours"),
        ("kWh", "3600000", "kWh|kilowatt hour|kilowatt hours|kilowatt-hour|kilowatt-hours|千瓦时|度电"),
        ("MWh", "3600000000", "MWh|megawatt hour|megawatt hours"),
        ("GWh", "3600000000000", "GWh|gigawatt hour|gigawatt hours"),
    ),
    "power": (
        ("W", "1", "W|watt|watts|瓦|瓦特"),
        ("kW", "1000", "kW|kilowatt|kilowatts|千瓦"),
        ("MW", "1000000", "MW|megawatt|megawatts|兆瓦"),
        ("GW", "1000000000", "GW|gigawatt|gigawatts|吉瓦"),
        ("mW", "1/1000", "mW|milliwatt|milliwatts|毫瓦"),
    ),
    "pressure": (
        ("Pa", "1", "Pa|pascal|pascals|帕|帕斯卡"),
        ("kPa", "1000", "kPa|kilopascal|kilopascals|千帕"),
        ("MPa", "1000000", "MPa|megapascal|megapascals|兆帕"),
        ("bar", "100000", "bar|bars"),
        ("atm", "101325", "atm|atmosphere|atmospheres|大气压"),
    ),
    "force": (("N", "1", "N|newton|newtons|牛顿|牛"), ("kN", "1000", "kN|kilonewton|kilonewtons|千牛")),
    "frequency": (
        ("Hz", "1", "Hz|hertz|赫兹"),
        ("kHz", "1000", "kHz|kilohertz|千赫"),
        ("MHz", "1000000", "MHz|megahertz|兆赫"),
        ("GHz", "1000000000", "GHz|gigahertz|吉赫"),
    ),
    "voltage": (
        ("V", "1", "V|volt|volts|伏|伏特"),
        ("mV", "1/1000", "mV|millivolt|millivolts|毫伏"),
        ("kV", "1000", "kV|千伏"),
    ),
    "current": (("A", "1", "A|amp|amps|ampere|amperes|安培|安"), ("mA", "1/1000", "mA|milliamp|milliamps|毫安")),
    "resistance": (("Ω", "1", "Ω|ohm|ohms|欧姆"), ("kΩ", "1000", "kΩ|kiloohm|kiloohms|千欧")),
    "angle": (("°", "1", "°|deg|degree|degrees|度"),),
}
"""Per dimension: name, factor into the dimension's base, spellings."""

TEMPERATURES = (
    ("K", "1", "0", "K|kelvin|kelvins|开尔文"),
    ("°C", "1", "273.15", "°C|C|degC|celsius|degrees celsius|degree celsius|摄氏度|度摄氏"),
    ("°F", "5/9", "45967/180", "°F|F|degF|fahrenheit|degrees fahrenheit|degree fahrenheit|华氏度"),
)
"""Name, factor, offset, spellings: kelvin = value * factor + offset."""
