using System.Text;
using CountStore.Input;

namespace CountStore.Tests.Input;

public class WordParserTests
{
    [Theory]
    [InlineData("", "")]
    [InlineData("One two", "one|two")]
    [InlineData("  a,b;c\n", "a|b|c")]
    [InlineData("System.String isn't \"x.\" 3.14...", "system.string|isn't|x|3.14")]
    [InlineData("'quoted' a..b List`1 snake_case", "quoted|a|b|list`1|snake_case")]
    [InlineData("Größe <b>", "größe|b")]
    public void Plain_text_is_cut_into_lower_case_words(string text, string expected)
    {
        Assert.Equal(expected.Split('|', StringSplitOptions.RemoveEmptyEntries), Keys.Parse(InputFormat.Words, text));
    }

    [Theory]
    [InlineData("<?xml version=\"1.0\"?><doc>Hi</doc>", "hi")]
    [InlineData("<see cref=\"T:System.Int32\" />.", "system.int32")]
    [InlineData("<see cref='M:A.B(C)'/>", "a.b|c|a.b c")]
    [InlineData("<c a='x'>y</c>", "x|y|x y")]
    [InlineData("a&lt;b&#x41;c", "a|b|a b|c|b c|a b c")]
    [InlineData("<!-- no --> t:x", "t|x|t x")]
    public void Xml_keeps_text_and_attribute_values_only(string text, string expected)
    {
        Assert.Equal(expected.Split('|'), Keys.Parse(InputFormat.XmlPhrases, text));
    }

    [Fact]
    public void Phrases_of_two_and_three_words_end_at_each_word()
    {
        List<string> keys = Keys.Parse(InputFormat.XmlPhrases, "a b c d");
        Assert.Equal(["a", "b", "a b", "c", "b c", "a b c", "d", "c d", "b c d"], keys);
    }

    [Fact]
    public void A_dropped_prefix_leaves_the_phrase_around_it_whole()
    {
        List<string> keys = Keys.Parse(InputFormat.XmlPhrases, "a b c <see cref=\"T:d\"/> e");
        Assert.Equal(["d", "c d", "b c d", "e", "d e", "c d e"], keys[^6..]);
        Assert.DoesNotContain("t", keys);
    }

    [Fact]
    public void Phrases_go_on_from_batch_to_batch()
    {
        string[] words = [.. Enumerable.Range(0, 50_000).Select(word => "w" + word)];
        List<string> keys = Keys.Parse(InputFormat.XmlPhrases, Encoding.UTF8.GetBytes(string.Join(' ', words)), 1000);
        List<string> expected = [];
        for (int word = 0; word < words.Length; word++)
        {
            for (int first = word; first >= Math.Max(0, word - 2); first--)
                expected.Add(string.Join(' ', words[first..(word + 1)]));
        }

        Assert.Equal(expected, keys);
    }

    [Fact]
    public void An_endless_word_is_cut()
    {
        List<string> keys = Keys.Parse(InputFormat.Words, new string('x', 1000));
        Assert.Equal(1000, keys.Sum(key => key.Length));
        Assert.All(keys, key => Assert.InRange(key.Length, 1, WordParser.MaxWordLength));
    }
}
