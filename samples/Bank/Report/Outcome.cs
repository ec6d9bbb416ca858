using System.Globalization;
using System.Text.Json;
using Bank.Commands;
using Bank.Lives;

namespace Bank.Report;

/// <summary>All that a run has to tell.</summary>
/// <param name="Options">What was asked for.</param>
/// <param name="Notes">What the lives have said.</param>
/// <param name="Held">How many transfers the store holds at the end.</param>
/// <param name="Undone">How many had returned, but were not durable, when a life was killed.</param>
/// <param name="Wrong">What is wrong.</param>
internal sealed record Outcome(BankOptions Options, Notes Notes, long Held, long Undone, IReadOnlyList<string> Wrong)
{
    private static readonly JsonSerializerOptions _json = new() { WriteIndented = true };

    /// <summary>The throughput over time.</summary>
    public string Picture => ThroughputPicture.Of(Notes);

    /// <summary>One JSON object.</summary>
    public string ToJson() => JsonSerializer.Serialize(
        new
        {
            mode = Options.Mode.Name,
            accounts = Options.Accounts,
            sessions = Options.Sessions,
            seconds = Math.Round(Notes.Lived.TotalSeconds, 3),
            transfers = Notes.Transfers,
            transfersPerSecond = Math.Round(Notes.PerSecond),
            transfersHeld = Held,
            transfersUndone = Undone,
            commits = Notes.Commits.Count,
            kills = Notes.Kills.Count,
            balancesVerified = Options.Verify,
            wrong = Wrong,
        },
        _json);

    /// <summary>The line that sums the run up.</summary>
    public string Summary()
    {
        string balances = Options.Verify ? "the sum and every balance are" : "the sum is";
        string end = Wrong.Count == 0
            ? $"{balances} right, and everything promised is there."
            : $"WRONG: {string.Join(' ', Wrong)}";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{Notes.Transfers:N0} transfers, {Notes.PerSecond:N0} a second, {Notes.Commits.Count:N0} commits; ")
            + string.Create(
                CultureInfo.InvariantCulture,
                $"{Notes.Kills.Count:N0} kills have undone {Undone:N0} that no commit had; {end}");
    }
}
