<?php

require __DIR__ . '/../src/Orders.php';
require __DIR__ . '/../src/Stock.php';
