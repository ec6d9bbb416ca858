using CountStore.Input;

namespace CountStore.Tests.Input;

public class LineParserTests
{
    [Fact]
    public void Lines_lose_their_ends_and_empty_ones_are_skipped()
    {
        Assert.Equal(["a", "b c", " ", "last"], Keys.Parse(InputFormat.Lines, "a\r\nb c\n\n\r\n \nlast"));
    }

    [Fact]
    public void A_line_without_end_is_an_error()
    {
        byte[] bytes = new byte[KeyBatch.MaxKeyLength + 1];
        Assert.Throws<InputException>(() => Keys.Parse(InputFormat.Lines, bytes, 100_000));
    }
}
