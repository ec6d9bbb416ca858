namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Two tiers with a key that is hot, one that is cold, one in both, and one that is deleted above its cold record.
/// </summary>
internal static class FourKeys
{
    public const long Hot = 1, Both = 3, Deleted = 4;

    public static long Cold => ScheduledTiers.Neighbor;

    /// <summary>Makes the tiers; all is in memory, but for the cold records.</summary>
    /// <param name="clients">The threads that use them.</param>
    public static ScheduledTiers Tiers(int clients)
    {
        var tiers = new ScheduledTiers(clients);
        tiers.PutCold(Cold, 11);
        tiers.PutCold(Both, 29);
        tiers.PutCold(Deleted, 39);
        tiers.SendColdToDisk();
        tiers.Put(0, Hot, 10);
        tiers.Put(0, Both, 30);
        tiers.Remove(0, Deleted);
        return tiers;
    }
}
