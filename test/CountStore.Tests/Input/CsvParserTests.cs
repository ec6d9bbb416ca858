using CountStore.Input;

namespace CountStore.Tests.Input;

public class CsvParserTests
{
    private const string Text = "\"id\",name\n1,ann\r\n2,\"b, \"\"b\"\"\nx\"\n\n3,\n";

    [Fact]
    public void A_column_is_found_by_its_name()
    {
        Assert.Equal(["1", "2", "3"], Keys.Parse(InputFormat.Csv("id"), Text));
        Assert.Equal(["ann", "b, \"b\"\nx", ""], Keys.Parse(InputFormat.Csv("name"), Text));
    }

    [Fact]
    public void A_column_by_number_takes_the_first_line_too()
    {
        Assert.Equal(["name", "ann", "b, \"b\"\nx", ""], Keys.Parse(InputFormat.Csv("2"), Text));
    }

    [Theory]
    [InlineData("nope", "a,b\n1,2\n", "The header line has no column 'nope'")]
    [InlineData("b", "a,b\n1,2\n1\n", "Line 3 has 1 columns")]
    [InlineData("3", "a,b\n", "Line 1 has 2 columns")]
    [InlineData("a", "", "The input has no header line")]
    [InlineData("a", "a\n\"x", "a quoted field is not closed")]
    public void Fields_that_do_not_fit_are_an_error(string column, string text, string message)
    {
        var error = Assert.Throws<InputException>(() => Keys.Parse(InputFormat.Csv(column), text));
        Assert.Contains(message, error.Message, StringComparison.Ordinal);
    }
}
