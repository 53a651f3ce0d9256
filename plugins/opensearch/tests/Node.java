import java.util.List;
import org.codelibs.opensearch.runner.OpenSearchRunner;

/** An OpenSearch node. Arguments: folder, HTTP port, transport port, plugin classes, transport ports of all nodes of its cluster. */
public class Node {
    public static void main(String[] arguments) throws Exception {
        String folder = arguments[0], http = arguments[1], transport = arguments[2], plugins = arguments[3];
        List<String> cluster = List.of(arguments).subList(4, arguments.length);
        OpenSearchRunner runner = new OpenSearchRunner();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                runner.close();
            } catch (java.io.IOException error) {
                error.printStackTrace();
            }
        }));
        runner.onBuild((number, settings) -> {
            settings.put("http.port", http);
            settings.put("transport.port", transport);
            settings.put("cluster.routing.allocation.disk.threshold_enabled", false);
            settings.put("cluster.max_shards_per_node", 10000);
            if (!cluster.isEmpty()) {
                settings.put("node.name", "node-" + transport);
                settings.putList("discovery.seed_hosts", cluster.stream().map(port -> "127.0.0.1:" + port).toList());
                settings.putList("cluster.initial_cluster_manager_nodes", cluster.stream().map(port -> "node-" + port).toList());
            }
        });
        OpenSearchRunner.Configs configs = OpenSearchRunner.newConfigs()
            .basePath(folder).clusterName("hierdoc").numOfNode(1);
        if (!plugins.isEmpty()) {
            configs.pluginTypes(plugins);
        }
        runner.build(configs);
        Thread.currentThread().join();
    }
}
