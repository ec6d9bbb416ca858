namespace Faster.Tests.Contracts;

public class ReadResultTests
{
    [Fact]
    public void A_missing_value_is_the_default_or_the_fallback()
    {
        Assert.Equal(5, new ReadResult<long>(true, 5).GetValueOrDefault());
        Assert.Equal(0, new ReadResult<long>(false, 5).GetValueOrDefault());
        Assert.Equal(7, new ReadResult<long>(false, 5).GetValueOrDefault(7));
        string? missing = new ReadResult<string>(false, null!).GetValueOrDefault();
        Assert.Null(missing);
    }
}
