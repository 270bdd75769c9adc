mod hot;
mod picture;
mod prices;
