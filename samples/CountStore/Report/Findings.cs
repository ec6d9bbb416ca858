using CountStore.Counting;
using CountStore.Input;

namespace CountStore.Report;

/// <summary>
/// What a look through all of a counter's keys found: the most frequent ones of each kind and their number.
/// </summary>
/// <param name="Tops">The most frequent keys of each kind.</param>
/// <param name="DistinctKeys">About how many keys there are.</param>
internal sealed record Findings(IReadOnlyList<TopList> Tops, long DistinctKeys)
{
    private static readonly string[] PhraseTitles = ["words", "phrases of two words", "phrases of three words"];

    /// <summary>Looks through all keys.</summary>
    public static Findings Gather(ICounter counter, InputFormat format, int top)
    {
        bool phrases = format == InputFormat.XmlPhrases;
        string[] titles = phrases ? PhraseTitles : [format == InputFormat.Words ? "words" : "keys"];
        TopKeys[] tops = [.. titles.Select(_ => new TopKeys(top))];
        DistinctEstimate distinct = new();
        counter.Visit((key, count) =>
        {
            distinct.Add(key);
            tops[phrases ? key.Count((byte)' ') : 0].Offer(key, count);
        });
        return new Findings([.. titles.Zip(tops, (title, keys) =>
            new TopList(title, keys.InOrder()))], distinct.Count());
    }
}
