using System.Diagnostics.CodeAnalysis;
using Faster;

namespace Bank.Transfers;

/// <summary>How the transfers become durable.</summary>
/// <param name="Name">Its name on the command line.</param>
/// <param name="KeepsAcknowledged">Whether a transfer is durable when it is acknowledged, not with a commit.</param>
/// <param name="Apply">Makes options for it.</param>
internal sealed record Mode(
    string Name, bool KeepsAcknowledged, Func<TransactionalOptions, TransactionalOptions> Apply)
{
    private static readonly Mode[] All =
    [
        new("cpr", KeepsAcknowledged: false, static options => options),
        new(
            "calc", KeepsAcknowledged: false,
            static options => options with { CommitAlgorithm = CommitAlgorithm.Calc }),
        new(
            "wal", KeepsAcknowledged: true,
            static options => options with { Durability = Durability.EachOperation }),
    ];

    /// <summary>The mode of a run that names none.</summary>
    public static Mode Default => All[0];

    /// <summary>The names of all modes.</summary>
    public static string Choices => string.Join(" or ", All.Select(static mode => mode.Name));

    /// <summary>A mode by its name.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out Mode? mode)
    {
        mode = Array.Find(All, one => one.Name == text);
        return mode is not null;
    }
}
