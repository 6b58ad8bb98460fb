"""The English half of the story grammar: names, objects, phrases and sentence skeletons.

Every list of phrases or skeletons is a pair (train, held): what stands in `held` stands in no training story.
Slots in braces: A is the owner, B the helper; he/him/his belong to A, bhe/bhim/bhis to B; `obj` is the title's
object with its adjective, `an_obj` the same with its article, `noun` the bare object. Other names are phrase lists.
"""

GIRLS = ["Mia", "Lily", "Anna", "Rosa", "Nora", "Emma", "Ruby", "Zoe"]
BOYS = ["Tom", "Ben", "Sam", "Leo", "Max", "Finn", "Jack", "Oscar"]

# Adjectives that suit nearly every object.
ADJECTIVES = "red blue yellow green white little big old new".split()  # noqa: SIM905

# noun: (adjectives of its own; a minus takes one of the usual away, how it gets lost, how it breaks)
OBJECTS = {
    "kite": ("", "wind", "soft"),
    "balloon": ("-old", "wind", None),
    "hat": ("straw funny", "wind", "soft"),
    "scarf": ("warm long", "wind", "soft"),
    "ribbon": ("silk long", "wind", None),
    "umbrella": ("", "wind", "soft"),
    "flag": ("", "wind", "soft"),
    "ball": ("", "roll", None),
    "button": ("gold round shiny -old", "roll", None),
    "bell": ("silver gold round -green -white", "roll", None),
    "marble": ("glass round shiny -old", "roll", None),
    "drum": ("round", "roll", "hard"),
    "wheel": ("wooden round", "roll", "hard"),
    "boat": ("wooden", "left", "hard"),
    "lantern": ("paper round", "left", "soft"),
    "book": ("thick", "left", "soft"),
    "key": ("gold silver shiny -red -blue -yellow -green -white", "left", None),
    "box": ("wooden", "left", "hard"),
    "basket": ("straw round", "left", "soft"),
    "flute": ("silver wooden long", "left", "hard"),
    "map": ("paper -yellow -red", "left", "soft"),
    "shell": ("pink shiny round -old -new -red", "left", None),
    "clock": ("wooden round gold", "left", "hard"),
    "cup": ("silver gold", "left", "hard"),
}

# Objects that two children can play with.
FUN = {"kite", "balloon", "flag", "ball", "marble", "drum", "wheel", "boat", "flute"}

SLOTS = {
    "suddenly": (
        ["Suddenly", "All at once", "Then", "But then", "Just then", "A moment later"],
        ["At that moment", "But a moment later"],
    ),
    "at_last": (
        ["At last", "In the end", "After a while", "A little later", "Then"],
        ["After a long time", "A long while later"],
    ),
    "so": (["So", "Then", "At once", "Right away"], ["So then", "Right then"]),
    "said": (["said", "whispered", "called"],) * 2,  # single words, shared by both splits
    "answered": (["said", "answered", "whispered"],) * 2,
    "time": (
        [
            "One morning",
            "One sunny day",
            "One windy afternoon",
            "On a quiet Sunday",
            "Early in spring",
            "On the first day of summer",
            "One cool morning",
            "After the rain",
            "At the end of summer",
            "After school",
            "One Saturday",
            "On a warm afternoon",
            "Before lunch",
            "One fine day in June",
            "In the middle of May",
            "On a bright morning",
            "Just after breakfast",
            "On market day",
        ],
        [
            "Early one morning",
            "On a cool and windy day",
            "One Sunday in June",
            "Just before lunch",
            "One quiet day in May",
            "On a sunny afternoon",
            "On the first warm day of spring",
        ],
    ),
    "place": (
        [
            "in the garden",
            "by the river",
            "on the hill",
            "near the old mill",
            "in the park",
            "by the sea",
            "at the edge of the forest",
            "on the beach",
            "under the apple tree",
            "behind the school",
            "in the yard",
            "on the bridge",
            "beside the pond",
            "in the village square",
            "near the farm",
            "by the garden gate",
        ],
        [
            "near the river",
            "behind the old mill",
            "beside the school",
            "beside the farm",
            "at the edge of the village",
            "by the farm gate",
            "on the edge of the pond",
        ],
    ),
    "spot": (
        [
            "under the bench",
            "behind the wall",
            "in the tall grass",
            "under the bridge steps",
            "behind the barn",
            "among the flowers",
            "under the old oak",
            "by the fence",
            "in the empty barn",
            "between the rocks",
            "under the hedge",
            "beside the well",
            "in the hay",
            "on the stone steps",
        ],
        [
            "behind the hedge",
            "among the rocks",
            "under the stone bench",
            "in the grass by the well",
            "between the flowers and the wall",
            "behind the old oak",
        ],
    ),
    "home": (
        [
            "in a village by the sea",
            "near the old mill",
            "at the edge of the forest",
            "by the river",
            "on a green hill",
            "near the farm",
            "in a small town",
            "beside the pond",
        ],
        ["at the edge of the village", "behind the old mill", "in a small town near the sea"],
    ),
    "food": (
        [
            "honey cake",
            "warm bread",
            "apple pie",
            "hot soup",
            "sweet plums",
            "a bag of nuts",
            "berry jam",
            "two pears",
            "a slice of cake",
            "nut bread",
            "soft cheese",
            "a bowl of berries",
        ],
        ["warm apple pie", "a slice of apple pie", "sweet berries", "a bag of plums", "hot bread with honey"],
    ),
    "animal": (
        [
            "a small bird",
            "a brown rabbit",
            "a grey cat",
            "a friendly dog",
            "a black goat",
            "a green frog",
            "an old horse",
            "a little mouse",
            "a white duck",
            "a busy squirrel",
            "a sleepy owl",
            "a tiny snail",
        ],
        ["a sleepy cat", "a brown dog", "a tiny frog", "an old goat", "a little white rabbit", "a busy mouse"],
    ),
    "elder": (
        [
            "an old man",
            "an old woman",
            "the baker",
            "a farmer",
            "the teacher",
            "a fisherman",
            "the miller",
            "a kind nurse",
            "the gardener",
            "a sailor",
            "the postman",
            "a shepherd",
        ],
        ["a kind old man", "an old sailor", "a kind farmer", "an old fisherman", "a friendly shepherd"],
    ),
    "family": (
        ["grandmother", "grandfather", "sister", "brother", "mother", "father", "aunt", "uncle"],
        ["old aunt", "old grandfather", "old uncle"],
    ),
    "sky": (
        [
            "The sun was warm",
            "White clouds sailed over the hill",
            "The air smelled of rain",
            "The wind was soft",
            "The sky was clear and blue",
            "Bees hummed in the grass",
            "The birds were singing",
            "The grass was still wet",
            "The flowers were open",
            "The light was soft and gold",
        ],
        [
            "The air was warm and still",
            "The light was clear",
            "The sun was over the roofs",
            "White birds sailed over the sea",
        ],
    ),
    "gladly": (
        [
            "with a big smile",
            "with shining eyes",
            "with a laugh",
            "in a happy voice",
            "and clapped",
            "and jumped for joy",
            "and took a deep breath",
            "in a soft voice",
        ],
        ["with a happy laugh", "with a soft smile", "and laughed for joy", "in a shining voice"],
    ),
}

TITLES = (
    [
        "The {obj}",
        "The {obj}",
        "The {obj}",
        "The story of the {obj}",
        "The secret of the {obj}",
        "{An_obj} for two",
        "The {obj} and the two friends",
        "A day with the {obj}",
        "The lucky {obj}",
        "Who has the {obj}?",
    ],
    ["Two friends and the {obj}", "The day of the {obj}", "A secret and {an_obj}", "The story of {an_obj}"],
)

OPENING = (
    [
        "{time}, {A} and {B} were playing {place}.",
        "{time}, {A} met {his} friend {B} {place}.",
        "Once there was a {girl} named {A}, who had a good friend called {B}.",
        "Long ago, two friends called {A} and {B} lived {home}.",
        "{time}, {A} was walking {place} with {B}.",
        "In a small house {home} lived {A}, and {B} lived next door.",
        "Every day after school, {A} and {B} played {place}.",
        "There were once two friends, {A} and {B}, who loved to play {place}.",
        "{time}, {A} sat {place} and waited for {B}.",
        "{time}, {A} and {B} were sitting {place} and talking.",
        "Once there was a {girl} called {A}, whose neighbour was called {B}.",
        "Not far from the sea lived a {girl} called {A} and a {bgirl} called {B}.",
        "{time}, {A} ran to the house of {his} best friend {B}.",
        "In those days {A} and {B} were neighbours, and they met every day {place}.",
    ],
    [
        "{time}, {A} and {his} neighbour {B} were sitting {place}.",
        "Two good friends, {A} and {B}, lived side by side {home}.",
        "{time}, {A} was waiting {place} for {his} friend {B}.",
        "There was once a {girl} called {A}, and {his} best friend was {B}.",
        "Not far from the village lived two friends named {A} and {B}.",
        "{time}, {A} ran {place} to play with {B}.",
        "It was Sunday, and {A} and {B} were talking {place}.",
    ],
)

OWN = (
    [
        "{A} had {an_obj}, and {he} took it everywhere.",
        "{A} had brought {his} {obj}, the best thing {he} owned.",
        "{A} was holding {an_obj} that {his} {family} had given {him}.",
        "In {his} hands {A} held {an_obj}.",
        "{A} wanted to show {B} {his} {obj}.",
        "The {obj} was a present from {his} {family}, and {A} loved it very much.",
        "{A} never went out without {his} {obj}.",
        "Of all {his} things, {A} liked the {obj} best.",
        "{A} had found {an_obj} at the market, and now {he} was very proud.",
        '"Look at my {obj}," said {A} {gladly}.',
    ],
    [
        "{A} was very proud of {an_obj} that came from {his} {family}.",
        "{A} had {an_obj} from the market in {his} bag.",
        '"My {family} gave me this {obj}," said {A} {gladly}.',
        "{A} loved {his} {obj} more than all the other things in the house.",
    ],
)

PROBLEM = {
    "wind": (
        [
            "{suddenly} a strong wind came and carried the {noun} away.",
            "Then the wind blew hard, and the {obj} flew over the wall.",
            "{suddenly} the wind threw the {noun} over the trees.",
            "{suddenly} the wind pulled the {noun} out of {his} hands.",
            "But the wind was too strong, and soon the {noun} was gone.",
            "{suddenly} the wind lifted the {obj} high above the roofs.",
            "Then a cold wind came down the hill and took the {noun} with it.",
        ],
        [
            "But the wind blew and blew until the {noun} flew out of {his} hands.",
            "{suddenly} a cold wind came over the hill and lifted the {obj}.",
            "Then the {noun} flew away with the wind, over the trees and the roofs.",
        ],
    ),
    "roll": (
        [
            "But the {noun} slipped from {his} hands and rolled down the hill.",
            "{suddenly} the {obj} fell and rolled away into the grass.",
            "{so} {A} tripped, and the {noun} rolled out of sight.",
            "But the {noun} jumped out of {his} bag and rolled along the path.",
            "{suddenly} the {noun} fell, bounced twice and was gone.",
            "Then a dog ran by, and the {obj} rolled away down the road.",
        ],
        [
            "But {A} fell, and the {noun} rolled along the road and out of sight.",
            "{suddenly} the {obj} bounced over the wall and rolled down to the river.",
            "Then the {noun} slipped out of {his} bag and was gone.",
        ],
    ),
    "left": (
        [
            "But when {he} came home, the {noun} was not in {his} bag.",
            "In the evening {A} looked for the {obj} and could not find it.",
            "But the next day the {noun} was gone.",
            "{so} {A} put {his} hand in the bag, and the {noun} was not there.",
            "But after a long walk {he} saw that the {obj} was missing.",
            "When {he} looked again, the {noun} was nowhere to be seen.",
        ],
        [
            "But in the evening the {noun} was missing.",
            "When {A} opened {his} bag at home, the {obj} was gone.",
            "But the next morning {he} could not find the {noun} in the house.",
        ],
    ),
    "stuck": (
        [
            "But the {noun} flew up and got caught in the tallest tree.",
            "{suddenly} the wind took the {noun} and left it at the top of a tree.",
            "Then the {obj} landed on the roof of the barn, far too high to reach.",
            "But soon the {noun} was hanging from the highest branch.",
            "{suddenly} the {obj} was stuck between two branches.",
            "Then the wind threw the {noun} onto a high wall.",
        ],
        [
            "But the wind left the {noun} on a high branch of the oak.",
            "{suddenly} the {obj} was hanging from the roof, too high to reach.",
            "Then the {noun} got stuck at the top of the wall.",
        ],
    ),
    "soft": (
        [
            "But the {noun} caught on a thorn and tore.",
            "{suddenly} there was a big hole in the {obj}.",
            "{so} {A} fell on the steps, and the {noun} tore in two.",
            "But a goat came by and bit a piece out of the {noun}.",
            "In the rain the {obj} got wet and tore.",
        ],
        [
            "But a little dog bit the {noun}, and now it had a hole.",
            "Then the {obj} caught on the fence and tore in two.",
        ],
    ),
    "hard": (
        [
            "But the {noun} fell on a stone and broke.",
            "{suddenly} there was a crack in the {obj}.",
            "{so} {A} tripped on the steps, and the {noun} broke in two.",
            "But a piece of the {noun} came off and fell into the grass.",
            "The {obj} hit the wall, and a big piece broke off.",
        ],
        ["But the {noun} hit the stone steps and broke.", "Then the {obj} fell from the wall, and now it had a crack."],
    ),
    "share": (
        [
            "But {B} wanted the {noun} too, and soon they were both pulling at it.",
            '"I want the {noun} now," said {B}, and they began to quarrel.',
            '"Let me hold the {noun}," cried {B}, but {A} would not share it.',
            "But {A} would not let {B} touch the {noun}.",
            '"You always have the {noun}," cried {B}, "and I never do."',
            "Soon they were shouting, for there was only one {noun} and there were two friends.",
            '"It is my turn," said {B}, but {A} held the {noun} tight.',
        ],
        [
            "But {B} wanted to hold the {noun}, and {A} would not share it.",
            '"Now I want to play with the {noun}," cried {B}, and they began to quarrel.',
            "There was only one {noun}, and soon {A} and {B} began to quarrel.",
        ],
    ),
    "gift": (
        [
            "Soon it would be {B}'s birthday, and {A} wanted to give {bhim} {an_obj}.",
            "{A} saw {an_obj} at the market and thought of {B} at once.",
            "{B} was ill in bed, and {A} wanted to bring {bhim} {an_obj}.",
            "{B} had always wished for {an_obj}, and {A} knew it.",
            "{A} wanted to find {an_obj} for {B}, but it had to be a surprise.",
        ],
        [
            "{A} knew that {B} wanted {an_obj} for {bhis} birthday.",
            "At the market there was {an_obj}, and {A} wanted to buy it for {B}.",
        ],
    ),
    "found": (
        [
            "{suddenly} {A} saw {an_obj} {spot}.",
            "There, {spot}, lay {an_obj}.",
            "Something was shining {spot}, and it was {an_obj}.",
            "{A} tripped over {an_obj} that someone had lost.",
            "On the path {A} found {an_obj}, and nobody was near.",
        ],
        ["{A} looked down and saw {an_obj} {spot}.", "{A} looked again and saw {an_obj} {spot}."],
    ),
}

FEELING = (
    [
        "{He} was so sad that {he} nearly cried.",
        "{A} sat down and cried.",
        "Poor {A} did not know what to do.",
        "{His} eyes filled with tears.",
        "{He} felt cold and small.",
        "{A} could not say a word.",
        "{A} looked up at the sky and sighed.",
        "{His} heart was heavy.",
        '"Oh no," cried {A}, and {he} nearly fell down.',
    ],
    [
        "{A} was so sad that {he} could not say a word.",
        "Poor {A} sighed, and {his} heart felt cold.",
        "{A} sat down, and {his} eyes were full of tears.",
    ],
)

ASK = {
    "loss": (
        [
            '"Will you help me look for it, {B}?" asked {A}.',
            '"Where can it be, {B}?" cried {A}.',
            '"Please help me find it, {B}," {said} {A}.',
            '"I have lost my {noun}, {B}," {said} {A}.',
            '"What shall we do now, {B}?" asked {A}.',
            '"It was here a minute ago, {B}," {said} {A}.',
            '"Did you see my {noun}, {B}?" asked {A}.',
            '"I do not want to go home without it, {B}," {said} {A}.',
        ],
        [
            '"Can you help me find my {noun}, {B}?" asked {A}.',
            '"Oh, where shall we look, {B}?" cried {A}.',
            '"I cannot see my {noun}, {B}," {said} {A}.',
            '"Do you know where it can be, {B}?" asked {A}.',
        ],
    ),
    "stuck": (
        [
            '"How can we get it down, {B}?" asked {A}.',
            '"It is too high for me, {B}," {said} {A}.',
            '"Can you climb, {B}?" asked {A}.',
            '"We will never reach it, {B}," cried {A}.',
            '"Do you see my {noun} up there, {B}?" asked {A}.',
            '"My {noun} is so far up, {B}," {said} {A}.',
            '"What if it never comes down, {B}?" asked {A}.',
            '"Please help me get it down, {B}," {said} {A}.',
        ],
        [
            '"Can you reach my {noun}, {B}?" asked {A}.',
            '"How shall I get it down, {B}?" cried {A}.',
            '"It is stuck up there, {B}," {said} {A}.',
            '"What can we do about it, {B}?" asked {A}.',
        ],
    ),
    "mend": (
        [
            '"Can we mend it, {B}?" asked {A}.',
            '"My poor {noun} is broken, {B}," cried {A}.',
            '"What shall I do with it now, {B}?" asked {A}.',
            '"Do you have some glue, {B}?" asked {A}.',
            '"It was my best {noun}, {B}," {said} {A}.',
            '"Do you think it can be mended, {B}?" asked {A}.',
            '"I only wanted to show it to you, {B}," {said} {A}.',
            '"Now it is good for nothing, {B}," {said} {A}.',
        ],
        [
            '"Can you help me mend my {noun}, {B}?" asked {A}.',
            '"Look, it is broken, {B}," cried {A}.',
            '"Is it lost for good, {B}?" asked {A}.',
            '"I do not know how to mend it, {B}," {said} {A}.',
        ],
    ),
    "share": (
        [
            "{so} {A} thought for a while and felt sorry.",
            "After a while {A} looked at {B} and stopped shouting.",
            "They shouted at each other until {A} felt sorry.",
            '"I do not want to quarrel, {B}," {said} {A} at last.',
            '"I am sorry, {B}," {said} {A}.',
            "Then it was quiet, and {A} saw a tear on {B}'s face.",
            '"Do you want to play with me, {B}?" asked {A}.',
            '"Let us be friends again, {B}," {said} {A}.',
            "{A} looked at the {noun} and then at {B}.",
        ],
        [
            "{at_last} {A} stopped and looked at {B}'s sad face.",
            '"I am sorry that I shouted at you, {B}," {said} {A}.',
            '"You can hold it too, {B}," {said} {A}.',
            '"We are still friends, {B}," {said} {A}.',
        ],
    ),
    "gift": (
        [
            "{so} {A} went to {elder} and asked for work.",
            "{A} opened {his} money box, but there were only two coins.",
            '"What can I do to earn some money?" {A} asked {elder}.',
            "{so} {A} asked {his} {family} for help.",
            "But {A} had no money to buy it.",
            '"It must be a secret," {A} said to {elder}.',
            '"Do you know how I can get it?" {A} asked {elder}.',
            "{A} thought about it all day and then went to {elder}.",
            '"I want to make my friend happy," {A} told {elder}.',
        ],
        [
            "{so} {A} took {his} two coins and went to {elder}.",
            '"Can I work for you?" {A} asked {elder}.',
            '"How can I get {an_noun}?" {A} asked {elder}.',
        ],
    ),
    "found": (
        [
            '"Whose {noun} can this be, {B}?" asked {A}.',
            '"Look what I have found, {B}," cried {A}.',
            '"Shall we keep it, {B}?" asked {A}.',
            '"I have never seen such a {noun}, {B}," {said} {A}.',
            '"Someone must miss it, {B}," {said} {A}.',
            '"Do you know this {noun}, {B}?" asked {A}.',
            '"I wonder where it comes from, {B}," {said} {A}.',
            '"What shall we do with it, {B}?" asked {A}.',
        ],
        [
            '"Who has lost this {noun}, {B}?" asked {A}.',
            '"Is it yours, {B}?" asked {A}.',
            '"Look at this {noun}, {B}," {said} {A}.',
            '"Who can have lost it, {B}?" asked {A}.',
        ],
    ),
}

ANSWER = {
    "loss": (
        [
            '"Do not worry," {answered} {B}. "We will find it together."',
            '"Of course I will help," {answered} {B} {gladly}.',
            '"Let us look {spot}," {answered} {B}.',
            '"It cannot be far away," {answered} {B}.',
            '"There is no need to cry," {answered} {B}.',
            '"I will look for your {noun} with you," {answered} {B}.',
            '"Come with me," {answered} {B}. "I have an idea."',
            '"Let us ask {elder}," {answered} {B}.',
            '"Think," {answered} {B}. "Where did you see it last?"',
            '"I know this place well," {answered} {B} {gladly}.',
        ],
        [
            '"Of course we will find it," {answered} {B}. "Do not cry."',
            '"I have an idea," {answered} {B} {gladly}.',
            '"We will look until we find it," {answered} {B}.',
            '"Come, I know where to look," {answered} {B}.',
            '"Let us walk along the path again," {answered} {B}.',
        ],
    ),
    "stuck": (
        [
            '"Wait here," {answered} {B}. "I will bring a ladder."',
            '"I am good at climbing," {answered} {B} {gladly}.',
            '"That is very high," {answered} {B}, "but I can climb."',
            '"We need a long stick," {answered} {B}.',
            '"Stand on my back," {answered} {B}.',
            '"Do not worry," {answered} {B}. "I know what to do."',
            '"Two of us can do it," {answered} {B} {gladly}.',
            '"Let us ask {elder} for help," {answered} {B}.',
            '"I am not afraid," {answered} {B}.',
        ],
        [
            '"I will find a ladder," {answered} {B} {gladly}.',
            '"A long stick will help us," {answered} {B}.',
            '"I will take off my shoes and climb," {answered} {B}.',
            '"I can reach it from the roof," {answered} {B}.',
        ],
    ),
    "mend": (
        [
            '"Do not worry," {answered} {B}. "I can mend it."',
            '"We need glue and a little time," {answered} {B}.',
            '"Give me a needle and some thread," {answered} {B} {gladly}.',
            '"Let us try together," {answered} {B}.',
            '"Here is what we need," {answered} {B}, and {bhe} took out some glue.',
            '"Nothing is lost yet," {answered} {B}. "Bring me the pieces."',
            '"I have mended worse things," {answered} {B} {gladly}.',
            '"My {family} can help us," {answered} {B}.',
            '"It will be better than before," {answered} {B}.',
        ],
        [
            '"I have glue and thread at home," {answered} {B} {gladly}.',
            '"Do not cry," {answered} {B}. "We can mend it together."',
            '"Give me the pieces and the glue," {answered} {B}.',
            '"It will soon be whole again," {answered} {B}.',
        ],
    ),
    "share": (
        [
            '"Let us take turns," {answered} {B} {gladly}.',
            '"I am sorry too," {answered} {B}.',
            '"You first, then me," {answered} {B}.',
            '"We can play with it together," {answered} {B}.',
            '"It is more fun with two," {answered} {B}.',
            '"A {noun} is no fun alone," {answered} {B}.',
            '"I only wanted to hold it for a while," {answered} {B}.',
            '"You are my friend," {answered} {B} {gladly}. "Let us play."',
        ],
        [
            '"You can have the first turn," {answered} {B}.',
            '"Let us share it," {answered} {B} {gladly}.',
            '"Let us play a game for two," {answered} {B}.',
            '"I was not a good friend," {answered} {B}.',
        ],
    ),
    "gift": (
        [
            "For three days {he} carried water and swept the floor.",
            "All week {he} picked berries and sold them.",
            "Every evening {he} worked in secret until it was dark.",
            "{He} fed the hens and washed the windows.",
            "{He} carried bread from house to house for a week.",
            "All Sunday {he} helped in the garden and did not rest.",
            "For five days {he} got up early and picked plums.",
            "{He} brought milk and letters to all the houses.",
        ],
        [
            "For a week {he} fed the hens and picked plums.",
            "Every morning {he} washed the steps and carried bread.",
            "For many days {he} washed windows and picked berries.",
        ],
    ),
    "found": (
        [
            '"It is not ours," {answered} {B}. "Let us find the owner."',
            '"No, we cannot keep it," {answered} {B}.',
            '"We should give it back," {answered} {B}.',
            '"Let us ask in the village," {answered} {B}.',
            '"The owner is waiting for it now," {answered} {B}.',
            '"If I had lost it, I would be sad," {answered} {B}.',
            '"I think I know who can tell us," {answered} {B} {gladly}.',
            '"Let us ask {elder}," {answered} {B}.',
            '"It must be worth a lot to someone," {answered} {B}.',
        ],
        [
            '"No, we must find the owner," {answered} {B}.',
            '"Let us ask the people in the village," {answered} {B}.',
            '"It belonged to someone," {answered} {B}.',
            '"Someone is sad without it," {answered} {B}.',
        ],
    ),
}

WORK = {
    "loss": (
        [
            "First they looked {spot}, then {spot}.",
            "They asked {elder}, who had not seen it.",
            "{so} {A} looked {spot}, and {B} looked {spot}.",
            "They walked up the hill and down to the river.",
            "They looked {spot} and found nothing.",
            "{animal} went ahead as if it knew the way.",
            "{so} {B} saw small marks in the mud and followed them.",
            "They looked {spot}, but they found only {animal}.",
            "They looked at every corner of the garden.",
            "Then {A} stopped and looked again.",
            "{elder} pointed down the road, and they ran on.",
        ],
        [
            "They asked {elder} and looked {spot}.",
            "{so} {A} and {B} walked from house to house.",
            "First they looked in the mud {spot}, but they found nothing.",
        ],
    ),
    "stuck": (
        [
            "{so} {B} ran home and came back with a ladder.",
            "{so} {B} took off {bhis} shoes and began to climb.",
            "They threw a rope over the branch and pulled.",
            "{so} {B} slowly climbed up, step by step.",
            "{elder} came by and lent them a long stick.",
            "{so} {A} held the ladder, and {B} climbed up step by step.",
            "Twice {B} nearly fell, but {bhe} did not give up.",
            "{so} {A} climbed on {B}'s back, but it was still too high.",
            "They threw small sticks at it, one after the other.",
            "{animal} looked on while {B} climbed higher and higher.",
        ],
        ["{so} {B} and {A} asked {elder} for a rope.", "{so} {B} climbed onto the wall with a long stick."],
    ),
    "mend": (
        [
            "{so} {B} ran home for glue and a brush.",
            "They sat {spot} and worked until evening.",
            "{A} held the pieces, and {B} put them together.",
            "{elder} showed them how to do it.",
            "{so} {B} sewed and glued, and {A} painted.",
            "Slowly, piece by piece, the {noun} became whole again.",
            "First they cleaned it, and then {B} put on the glue.",
            "They looked for the last piece and found it {spot}.",
            "{B} worked with care, and {A} held the light.",
        ],
        [
            "{so} {B} and {A} took the pieces to {elder}.",
            "They worked all afternoon, and slowly the {noun} became whole.",
        ],
    ),
    "share": (
        [
            "{so} {A} put the {noun} into {B}'s hands.",
            "{so} {B} took the {noun}, and {A} watched.",
            "First {A} had a turn, and then it was {B}'s turn.",
            "They sat down {spot} and made a plan.",
            "{so} {B} took one side, and {A} took the other.",
            "They made up a new game, and it needed two players.",
            "{so} {B} laughed, and {A} had to laugh too.",
            "They counted to ten and changed places.",
            "{B} showed {A} a new way to play with it.",
        ],
        ["{so} {A} gave the {noun} to {B} and watched with a smile.", "They made a plan, first {A} and then {B}."],
    ),
    "gift": (
        [
            "{at_last} {A} had enough money and ran to the market.",
            "When it was ready, {A} wrapped it in blue paper.",
            "{elder} smiled and gave {him} the {noun}.",
            "{so} {A} hid the {noun} {spot}.",
            "On the way {A} met {animal}, but {he} did not stop.",
            "That night {A} could not sleep for joy.",
            "Then {he} put the {noun} in a paper bag with a ribbon.",
            '{elder} said, "You have worked well," and gave {him} the {noun}.',
        ],
        ["{at_last} {A} wrapped the {noun} in white paper.", "{elder} gave {him} the {noun} and a little paper bag."],
    ),
    "found": (
        [
            "They asked {elder}, who did not know it.",
            "{so} {A} and {B} went from door to door.",
            "They asked all the people at the market.",
            '"Is it yours?" they asked {elder}.',
            "They wrote a note and put it on the school door.",
            "{so} {B} saw a name on the {noun}.",
            "{elder} told them to try the last house in the village.",
            "They waited {spot} until the sun went down.",
            "They asked at the farm and at the mill.",
            "{elder} thought for a while and pointed to a small house.",
            "They held the {noun} up high so that all could see it.",
        ],
        ["{so} {A} wrote a note, and {B} put it on the mill door.", "They asked {elder} and then went to the school."],
    ),
}

SUCCESS = {
    "loss": (
        [
            "And there, {spot}, lay the {obj}.",
            "{at_last} {B} found the {obj} {spot}.",
            '"I can see it," cried {B}, and there was the {obj}.',
            "Then {animal} led them to the {obj}.",
            "{at_last} the {obj} was {spot}, safe and dry.",
            "There was the {noun}, and {animal} was sleeping beside it.",
            "{A} looked up, and there was the {obj} {spot}.",
            "{so} {B} laughed, for the {noun} was right behind them.",
            "{elder} had found the {obj} and gave it back.",
        ],
        [
            '"Here it is," cried {B}, and {bhe} held up the {obj}.',
            "{at_last} they saw the {obj} {spot}.",
            "{at_last} {animal} showed them the {noun}.",
        ],
    ),
    "stuck": (
        [
            "{at_last} {B} reached the {obj} and threw it down.",
            "Slowly the {obj} came down, and {A} caught it.",
            "With one last pull the {noun} was free.",
            '"I have it," cried {B} from above.',
            "Then the branch moved, and the {obj} fell into {A}'s arms.",
            "{B} came down with the {noun} under one arm.",
            "A soft wind helped them, and the {obj} came down by itself.",
            "{at_last} {B} had the {noun} in {bhis} hands.",
        ],
        ["{at_last} {B} pulled, and the {obj} fell down to {A}.", '"Here it is," cried {B}, and the {noun} was free.'],
    ),
    "mend": (
        [
            "{at_last} the {obj} was as good as new.",
            "When they were done, the {noun} was nicer than before.",
            "{at_last} {B} held up the {obj}, and it was whole.",
            "Now the {obj} had a little star where the hole had been.",
            "Nobody could see where the {noun} had been broken.",
            "{at_last} {A} held the {noun} in {his} hands again.",
            "The {obj} was old and new at the same time.",
            '"Look," {answered} {B}, "your {noun} is well again."',
        ],
        [
            '"Look, your {obj} is as good as new," {answered} {B}.',
            "{at_last} the {noun} was whole and nicer than before.",
        ],
    ),
    "share": (
        [
            "From then on the {obj} belonged to both of them.",
            "With two players the {noun} was twice as much fun.",
            "Soon they were laughing, and the {obj} went from hand to hand.",
            "They played with the {noun} until the stars came out.",
            "Nobody asked any more whose {noun} it was.",
            "All afternoon they played with the {obj}, first one and then the other.",
            "That was the best game they ever played with the {noun}.",
            "And the {obj} had never looked so fine.",
            '"Now we can both be happy," {answered} {B}.',
        ],
        [
            "Soon the {obj} went from friend to friend, and they laughed.",
            "From that day they played with the {noun} together.",
        ],
    ),
    "gift": (
        [
            '"This is for you," {said} {A}, and {B} opened the paper and saw the {obj}.',
            "When {B} saw the {obj}, {bhis} face shone like the sun.",
            "In the morning the {obj} lay beside {B}'s bed.",
            "{B} held the {obj} in {bhis} arms and could not speak.",
            "And so {B} had {bhis} {obj} at last.",
            "{B} laughed and cried when {bhe} saw the {obj}.",
            '"Is this {noun} really for me?" asked {B}.',
            "{B} opened {bhis} hands, and {A} put the {obj} into them.",
        ],
        ['"It is a surprise," {said} {A}, and {bhe} saw the {obj}.', "When {B} opened the paper, there was the {obj}."],
    ),
    "found": (
        [
            'An old woman opened the door and cried, "My {noun}!"',
            "It was the old woman by the mill who had lost the {noun}.",
            "The owner of the {obj} was an old man, and he shook their hands.",
            '"I lost my {obj} long ago," said an old man, and he smiled.',
            "So the {obj} came home at last.",
            '"You found my {obj}," said an old man, and his eyes were wet.',
            'A small girl ran up to them and cried, "That is my {noun}!"',
            "The {noun} was a present from long ago, and its owner hugged them both.",
        ],
        [
            '"Oh, that is my {obj}," cried an old woman at the door.',
            "{at_last} they found the owner of the {noun}, an old man.",
        ],
    ),
}

THANKS = {
    "from_A": (
        [
            '"Thank you, {B}," {said} {A} {gladly}.',
            '"You are the best friend in the world, {B}," {said} {A}.',
            "{A} hugged {B} and laughed.",
            "{A} did not know how to thank {B}.",
            '"Without you I would still be crying, {B}," {said} {A}.',
            "{A} was so happy that {he} danced around {B}.",
            '"I will never forget this, {B}," {said} {A}.',
            '"You can play with my {noun} every day, {B}," {said} {A}.',
            "{A} took {B} by the hand and did not let go.",
            '"How did you do that, {B}?" asked {A} {gladly}.',
            "{so} {A} gave {B} {food}.",
        ],
        [
            '"Oh, thank you, my friend," {said} {A} to {B}.',
            "{A} laughed and danced, and {B} danced too.",
            '"You are a good friend, {B}," {said} {A} {gladly}.',
            '"I knew that you would help me, {B}," {said} {A}.',
            "{A} took {B} by both hands and laughed.",
            '"What would I do without you, {B}?" asked {A}.',
        ],
    ),
    "from_B": (
        [
            '"Thank you, {A}," {answered} {B} {gladly}.',
            '"You are the best friend in the world, {A}," {answered} {B}.',
            "{B} hugged {A} and laughed.",
            '"I will keep it always, {A}," {answered} {B}.',
            '"How did you know, {A}?" asked {B}.',
            '{B} could only say, "Oh, {A}!"',
            '"It is the best present of all, {A}," {answered} {B}.',
        ],
        [
            '"Oh, thank you, {A}," {answered} {B}, and {bhe} danced for joy.',
            '"You are a good friend, {A}," {answered} {B} {gladly}.',
            '"It is the best thing I ever had, {A}," {answered} {B}.',
            '"You did all this for me, {A}?" asked {B}.',
        ],
    ),
    "found": (
        [
            "{A} smiled at {B}, and {B} smiled back.",
            '"This was a good day, {B}," {said} {A}.',
            "As a reward, {A} and {B} got {food}.",
            '"You were right, {B}," {said} {A}.',
            '"I am glad that we did not keep it, {B}," {said} {A}.',
            "{A} took {B} by the hand, and they danced.",
            "{A} and {B} were very proud.",
        ],
        [
            "As a reward, there was {food} for {A} and {B}.",
            "{A} and {B} were happy and proud.",
            '"We did right to ask, {B}," {said} {A}.',
        ],
    ),
    "both": (
        [
            "{A} smiled at {B}, and {B} smiled back.",
            '"This was a good day, {B}," {said} {A}.',
            '"I like it better this way, {B}," {said} {A}.',
            '"Let us never quarrel again, {B}," {said} {A}.',
            '"Tomorrow we will play again, {B}," {said} {A}.',
            "{A} gave {B} a big hug.",
            "{A} and {B} were very proud.",
        ],
        [
            "{A} and {B} looked at each other and laughed.",
            '"It was a good plan, {B}," {said} {A}.',
            '"This is more fun for both of us, {B}," {said} {A}.',
        ],
    ),
}

ENDING = {
    "give": (
        [
            "That evening {A} and {B} ate {food} and told the story again.",
            "{so} {A} and {B} walked home hand in hand.",
            "And every time {A} saw {an_noun}, {he} thought of {B}.",
            "From that day on, {A} and {B} were never apart.",
            "When the moon came up, {A} and {B} were still laughing.",
            "The moon was full and bright when {A} and {B} walked home.",
            "And if you walk by, you may still hear the two friends laugh.",
            "A good friend is worth more than {an_obj}.",
            "On the way home, {A} and {B} sang a song about the {noun}.",
            "That night {A} dreamed of {an_obj} as big as the moon.",
            "And the two friends never forgot the {obj}.",
        ],
        [
            "In the evening {A} and {B} ate {food} and looked at the stars.",
            "And so {A} and {B} walked home with a song.",
            "From then on, {A} and {B} played together every day.",
            "That night {A} dreamed of the {noun} and slept well.",
            "A good friend is better than all the gold in the world.",
        ],
    ),
    "keep": (
        [
            "{so} {A} and {B} walked home hand in hand.",
            "And every time {A} saw the {noun}, {he} thought of {B}.",
            "From that day on, {A} and {B} were never apart.",
            "That night {A} put the {noun} beside {his} bed and slept well.",
            "And the {obj} stayed with them for many years.",
            "When the moon came up, {A} and {B} were still laughing.",
            "The moon was full and bright when {A} and {B} walked home.",
            "Now the {noun} has a place of its own by the window.",
            "And if you walk by, you may still see the {obj}.",
            "A good friend is worth more than {an_obj}.",
            "On the way home, {A} and {B} sang a song about the {noun}.",
            "After that, {A} took good care of the {obj}.",
            "That evening {A} and {B} ate {food} and told the story again.",
        ],
        [
            "In the evening {A} and {B} ate {food} and looked at the stars.",
            "And so {A} and {B} walked home with the {obj}.",
            "From then on, {A} and {B} played together every day.",
            "That night {A} thought of the {noun} and slept well.",
            "A good friend is better than all the gold in the world.",
        ],
    ),
}

# Optional sentences: kind -> (train, held). Each kind stands at most once in a story.
ASIDES = {
    "sky": (
        ["{sky}.", "{sky}, and the day was young.", "{sky}, and nobody was in a hurry."],
        ["{sky}, and the village was still.", "{sky}, and it was a fine day."],
    ),
    "animal": (
        [
            "{animal} was watching them.",
            "{animal} came to see what was going on.",
            "Near them, {animal} was looking for food.",
        ],
        ["{animal} sat near them and watched.", "Somewhere near them, {animal} was sleeping."],
    ),
    "food": (
        [
            "They ate {food} and felt much better.",
            "{A} had brought {food}, and they shared it.",
            "A smell of fresh bread came from a kitchen.",
        ],
        ["They shared {food} and talked.", "From the house came the smell of bread and honey."],
    ),
    "hurry": (
        ["They ran as fast as they could.", "There was no time to lose.", "Nobody wanted to wait."],
        ["They did not want to lose time.", "They ran and ran."],
    ),
    "sound": (
        [
            "Far away a bell was ringing.",
            "Somewhere a dog barked.",
            "Everything was quiet.",
            "A boat sailed by on the river.",
        ],
        ["Somewhere far away a bird sang.", "It was quiet on the river."],
    ),
    "brave": (
        [
            "It was getting dark, but they were not afraid.",
            "It began to rain, but they did not turn back.",
            "Their feet were tired, but they went on.",
        ],
        ["They were tired and wet, but they did not turn back.", "It was dark now, but they went on."],
    ),
    "song": (
        [
            "They sang a little song on the way.",
            "They talked about this and that on the way.",
            "{B} told a joke, and {A} had to laugh.",
            "{B} made a funny face, and both of them laughed.",
        ],
        ["Then {B} sang a funny song on the way.", "{B} told a story, and {A} laughed."],
    ),
    "wise": (
        [
            '"Two heads are better than one," said {elder} who came by.',
            '"Good luck," called {elder} from the road.',
            "{elder} looked up and smiled at them.",
        ],
        ['"Good friends are good luck," said {elder}.', "{elder} called from the road and smiled."],
    ),
}
